"""Constants of Azure ML's SDK v2: the words that job files have for them."""

VERSION = "2"  # azure.ai.ml._version has it


class AssetTypes:
    """What an input or output is."""

    URI_FILE = "uri_file"
    URI_FOLDER = "uri_folder"
    MLTABLE = "mltable"
    MLFLOW_MODEL = "mlflow_model"
    TRITON_MODEL = "triton_model"
    CUSTOM_MODEL = "custom_model"


class InputOutputModes:
    """How Azure ML hands it over, which has no effect here."""

    RO_MOUNT = "ro_mount"
    RW_MOUNT = "rw_mount"
    MOUNT = "mount"
    DOWNLOAD = "download"
    UPLOAD = "upload"
    DIRECT = "direct"
    EVAL_MOUNT = "eval_mount"
    EVAL_DOWNLOAD = "eval_download"
