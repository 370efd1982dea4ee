"""Programs that submit jobs, as the documents of Azure ML's SDK have them; without imports."""

MPI = """
distr_config = MpiConfiguration(process_count_per_node=4, node_count=2)

run_config = ScriptRunConfig(source_directory= './src',
                             script='train.py',
                             compute_target=compute_target,
                             environment=pytorch_env,
                             distributed_job_config=distr_config)

# submit the run configuration to start the job
run = Experiment(ws, "experiment_name").submit(run_config)
"""

PYTORCH = """
distr_config = PyTorchConfiguration(process_count=8, node_count=2)

run_config = ScriptRunConfig(source_directory='./src',
                             script='train.py',
                             arguments=['--epochs', 50, '--local_rank', '$LOCAL_RANK'],
                             compute_target=compute_target,
                             environment=pytorch_env,
                             distributed_job_config=distr_config)

run = Experiment(ws, 'experiment_name').submit(run_config)
"""

LAUNCH = """
distr_config = PyTorchConfiguration(node_count=2)
launch_cmd = ['python -m torch.distributed.launch --nproc_per_node 4 --nnodes 2 \\
               --node_rank $NODE_RANK --master_addr $MASTER_ADDR --master_port $MASTER_PORT \\
               --use_env train.py --epochs 50']

run_config = ScriptRunConfig(source_directory='./src',
                             command=launch_cmd,
                             compute_target=compute_target,
                             environment=pytorch_env,
                             distributed_job_config=distr_config)

run = Experiment(ws, 'experiment_name').submit(run_config)
"""

ONE_NODE = """
launch_cmd = ['python -m torch.distributed.launch --nproc_per_node 4 \\
              --use_env train.py --epochs 50']

run_config = ScriptRunConfig(source_directory='./src',
                             command=launch_cmd,
                             compute_target=compute_target,
                             environment=pytorch_env)
"""

GLUE = """
distr_config = PyTorchConfiguration() # node_count defaults to 1
launch_cmd = ['python -m torch.distributed.launch --nproc_per_node 8 \\
               text-classification/run_glue.py \\
               --model_name_or_path bert-large-uncased-whole-word-masking \\
               --task_name mnli --do_train --do_eval \\
               --max_seq_length 128 --per_device_train_batch_size 8 \\
               --learning_rate 2e-5 --num_train_epochs 3.0 \\
               --output_dir /tmp/mnli_output']

run_config = ScriptRunConfig(source_directory='./src',
                             command=launch_cmd,
                             compute_target=compute_target,
                             environment=pytorch_env,
                             distributed_job_config=distr_config)
"""

TENSORFLOW = """
distr_config = TensorflowConfiguration(worker_count=2, parameter_server_count=0)

run_config = ScriptRunConfig(source_directory='./src',
                             script='train.py',
                             compute_target=compute_target,
                             environment=tf_env,
                             distributed_job_config=distr_config)

# submit the run configuration to start the job
run = Experiment(ws, "experiment_name").submit(run_config)
"""

SERVERS = TENSORFLOW.replace("parameter_server_count=0", "parameter_server_count=1")

MPI_DEFAULTS = """
mpiconfig = MpiConfiguration(process_count_per_node=1, node_count=2)

run = ScriptRunConfig(
    source_directory='src',
    script="launch.py",
    arguments=["--nproc_per_node", 4, "--use_env", "example.py"],
    compute_target=compute_target,
    distributed_job_config=mpiconfig,
    environment=pytorch_env,
)

experiment = Experiment(ws, "pt_dist_launch")
run = experiment.submit(run)
"""

COMPONENT = """
from azure.ml.component import Component, dsl

# load the mpi train component you create by the component yaml
train_component_func = Component.from_yaml(
    ws, yaml_file='components/imagecnn-train/entry.spec.yaml')

# define pipeline
@dsl.pipeline(name='mpi train pipeline', description='mpi train pipeline',
              default_compute_target=cpu_compute_target)
def train_pipeline():
    train = train_component_func(script_arg_0=arg_0, script_arg_1=arg_1)

    # below runsettings give the equivalent command as:
    train.runsettings.resource_layout.configure(
        node_count=2,  # use 2 nodes to train the model
        process_count_per_node=2)  # use 2 processes per node

# submit the pipeline
pipeline = train_pipeline()
run = pipeline.submit(experiment_name='mpi-sample-experiment')
"""
