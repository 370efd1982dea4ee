#!/bin/sh
# job.yml, as run 20261123-225007.123-kufa
#SBATCH --chdir='/home/ada/my project'
#SBATCH --cpus-per-task=2
#SBATCH --error=/home/ada/runs/100%%/job.err
#SBATCH --export=ALL
#SBATCH --gpus-per-node=4
#SBATCH --job-name=hello
#SBATCH --mem=61036M
#SBATCH --no-kill
#SBATCH --no-requeue
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=4
#SBATCH --open-mode=append
#SBATCH --output=/home/ada/runs/100%%/job.out
#SBATCH --time=63

export MUSTER_QUEUED_RECORD='/home/ada/runs/it'\''s'
exec /usr/bin/muster submit job.yml --set 'inputs.text=a b $c'
