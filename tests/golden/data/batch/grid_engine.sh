#!/bin/sh
# job.yml, as run 20261123-225007.123-kufa
#$ -N _3_hellos__one_two
#$ -S /bin/sh
#$ -V
#$ -e /home/ada/runs/100%/job.err
#$ -l h_rt=3721
#$ -o /home/ada/runs/100%/job.out
#$ -pe mpi 8
#$ -wd '/home/ada/my project'

export MUSTER_QUEUED_RECORD='/home/ada/runs/it'\''s'
exec /usr/bin/muster submit job.yml --set 'inputs.text=a b $c'
