"""Prints what a rank gets: its host, folder, cpus, and the variables set by launchers."""

import os
import socket
import sys

PREFIXES = ("OMPI_", "MPI_", "PMI", "PMIX_", "HOROVOD_", "AZ_", "AZUREML_", "TORCHELASTIC_",
            "MUSTER_", "NCCL_", "GLOO_", "TP_", "OMP_", "MKL_", "OPENBLAS_", "NUMEXPR_", "JAX_",
            "CUDA_", "SLURM_")
NAMES = {"RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "NODE_RANK", "GROUP_RANK",
         "GROUP_WORLD_SIZE", "ROLE_RANK", "ROLE_WORLD_SIZE", "ROLE_NAME", "MASTER_ADDR",
         "MASTER_PORT", "TF_CONFIG", "PYTHONUNBUFFERED"}


def main():
    rank, size = os.environ.get("RANK", "0"), os.environ.get("WORLD_SIZE", "1")
    lines = [f"rank {rank} of {size}: pid {os.getpid()} on {socket.gethostname()} in "
             f"{os.getcwd()}, cpus {sorted(os.sched_getaffinity(0))}, "
             f"python {sys.version.split()[0]}"]
    lines += [f"  {name}={value}" for name, value in sorted(os.environ.items())
              if name in NAMES or name.startswith(PREFIXES)]
    sys.stdout.write("\n".join(lines) + "\n")  # one write, so that ranks' lines are not mixed


if __name__ == "__main__":
    main()
