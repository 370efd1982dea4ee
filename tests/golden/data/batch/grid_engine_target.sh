#!/bin/bash -l
# job.yml, as run 20261123-225007.123-kufa
#$ -A 'team a'
#$ -N hello
#$ -P ours
#$ -R y
#$ -S /bin/bash
#$ -V
#$ -e /home/ada/runs/100%/job.err
#$ -hold_jid 12
#$ -l h_rt=7200,mem_free=4G
#$ -o /home/ada/runs/100%/job.out
#$ -p -10
#$ -pe mpi 8
#$ -q long.q,gpu.q
#$ -wd '/home/ada/my project'

setup_failed() {
  [ ${#BASH_SOURCE[@]} -gt 2 ] && return
  echo "muster: error: setup: \`$3\` (line $2 of the script) ended with exit code $1" >&2
  exit "$1"
}
trap 'setup_failed $? $LINENO "$BASH_COMMAND"' ERR
module load cuda
trap - ERR
export MUSTER_QUEUED_RECORD='/home/ada/runs/it'\''s'
exec /usr/bin/muster submit job.yml --set 'inputs.text=a b $c'
