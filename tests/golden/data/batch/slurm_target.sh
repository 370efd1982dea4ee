#!/bin/bash -l
# job.yml, as run 20261123-225007.123-kufa
#SBATCH --account='team a'
#SBATCH --begin=now+1hour
#SBATCH --chdir='/home/ada/my project'
#SBATCH --comment='it'\''s # ours'
#SBATCH --constraint='[rack1|rack2]'
#SBATCH --cpus-per-task=8
#SBATCH --error=/home/ada/runs/100%%/job.err
#SBATCH --exclusive
#SBATCH --export=ALL
#SBATCH --gres=gpu:a100:4
#SBATCH --job-name=hello
#SBATCH --mail-type=END,FAIL
#SBATCH --no-kill
#SBATCH --no-requeue
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=4
#SBATCH --open-mode=append
#SBATCH --output=/home/ada/runs/100%%/job.out
#SBATCH --partition=gpu,long
#SBATCH --signal=B:USR1@60
#SBATCH --spread-job
#SBATCH --time=2-00:00:00

setup_failed() {
  [ ${#BASH_SOURCE[@]} -gt 2 ] && return
  echo "muster: error: setup: \`$3\` (line $2 of the script) ended with exit code $1" >&2
  exit "$1"
}
trap 'setup_failed $? $LINENO "$BASH_COMMAND"' ERR
module load cuda
. venv/bin/activate
trap - ERR
export MUSTER_QUEUED_RECORD='/home/ada/runs/it'\''s'
exec /usr/bin/muster submit job.yml --set 'inputs.text=a b $c'
