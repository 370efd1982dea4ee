"""The same as train.py, under the name that a component's launcher gives it."""

import train

if __name__ == "__main__":
    train.main()
