"""Constants of azureml-core: its version whose names these are, and the images that it names."""

VERSION = "1.61.0"
# Without their registry, which is Azure's: a target of muster.yml says what its hosts hold.
DEFAULT_CPU_IMAGE = "azureml/openmpi4.1.0-ubuntu22.04"
DEFAULT_GPU_IMAGE = "azureml/openmpi4.1.0-cuda11.8-cudnn8-ubuntu22.04"
