// The program: hands its words to cli.
int main() { return 0; }
