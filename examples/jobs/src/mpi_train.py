"""The same as train.py, under the name that the component uses."""

import train

if __name__ == "__main__":
    train.main()
