"""TensorFlow's parameter servers keep what is learnt; they wait for requests for ever.

With a chief it is ParameterServerStrategy: the chief directs, and workers wait like servers.
Without one, as in Azure ML's jobs, workers compute on their own, each with a graph of its own.
"""

import json
import os

import tensorflow as tf
from seen import CLASSES, PIXELS, batches, fashion, tell

old = tf.compat.v1


def start(resolver):
    return tf.distribute.Server(resolver.cluster_spec(), job_name=resolver.task_type,
                                task_index=resolver.task_id, protocol="grpc")


def serve(resolver):
    """Until somebody ends this process."""
    server = start(resolver)
    line = json.dumps({"type": resolver.task_type, "index": resolver.task_id, "pid": os.getpid()})
    os.write(1, f"SERVES {line}\n".encode())
    server.join()


def loss_of(scores, labels):
    return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, scores))


def direct(resolver):
    """The chief's part: steps run on whichever worker is free."""
    strategy = tf.distribute.ParameterServerStrategy(resolver)
    coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
    with strategy.scope():
        weights, biases = tf.Variable(tf.zeros((PIXELS, CLASSES))), tf.Variable(tf.zeros(CLASSES))

    def step(rows, labels):
        with tf.GradientTape() as tape:
            loss = loss_of(tf.matmul(rows, weights) + biases, labels)
        for variable, gradient in zip((weights, biases), tape.gradient(loss, (weights, biases))):
            variable.assign_sub(0.02 * gradient)
        return loss

    @tf.function
    def train(rows, labels):
        """The loss, and the process id of the worker."""
        stat = tf.data.TextLineDataset("/proc/self/stat").get_single_element()
        return strategy.run(step, (rows, labels)), tf.strings.split(stat)[0]

    def learn():
        results = [coordinator.schedule(train, args=tuple(map(tf.constant, batch)))
                   for batch in batches(*fashion(), times=1)]
        coordinator.join()
        return [result.fetch() for result in results]

    workers = resolver.cluster_spec().num_tasks("worker")
    results = learn()
    while len({pid for _, pid in results}) < workers:  # one of them came late
        results += learn()
    losses = [float(loss) for loss, _ in results]
    tell("tensorflow", 0, 1, [weights.numpy(), biases.numpy()], losses,
         type=resolver.task_type, workers=sorted({int(pid) for _, pid in results}),
         devices=sorted({weights.device, biases.device}))


def work(resolver):
    """A worker's part without a chief; the first one initializes the variables."""
    index, cluster = resolver.task_id, resolver.cluster_spec()
    world, own = cluster.num_tasks("worker"), f"/job:worker/task:{resolver.task_id}"
    with tf.Graph().as_default():
        rows, labels = (old.placeholder(kind) for kind in (tf.float32, tf.int64))
        with old.device(old.train.replica_device_setter(cluster=cluster, worker_device=own)):
            weights = old.Variable(tf.zeros((PIXELS, CLASSES)))
            biases = old.Variable(tf.zeros(CLASSES))
            steps = old.train.get_or_create_global_step()
            loss = loss_of(tf.matmul(tf.reshape(rows, (-1, PIXELS)), weights) + biases, labels)
            train = old.train.GradientDescentOptimizer(0.02).minimize(loss, global_step=steps)
        with old.device("/job:ps/task:0"):
            queues = [tf.queue.FIFOQueue(2 * world, tf.int32, shapes=(), shared_name=f"arrived{i}")
                      for i in range(world)]
            arrive = tf.group(*(queue.enqueue(index) for queue in queues))
            wait = queues[index].dequeue_many(world)

        def meet():
            """Blocks on the server: a worker that asks again and again starves the others."""
            session.run(arrive)
            session.run(wait)

        data = [{rows: images, labels: wanted}
                for images, wanted in batches(*(each[index::world] for each in fashion()))]
        near = old.ConfigProto(device_filters=["/job:ps", own])  # no worker waits for others' ends
        with old.train.MonitoredTrainingSession(start(resolver).target, is_chief=index == 0,
                                                config=near) as session:
            losses = [session.run(loss, data[0])]  # before anybody has learnt
            meet()
            losses += [session.run((loss, train), batch)[0] for batch in data]
            meet()
            learnt, count = session.run(([weights, biases], steps))
    tell("tensorflow", index, world, learnt, losses, type=resolver.task_type, steps=int(count),
         devices=sorted({weights.device, biases.device}))


def main():
    resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
    directed = "chief" in resolver.cluster_spec().jobs
    if resolver.task_type == "ps" or (directed and resolver.task_type == "worker"):
        serve(resolver)
    elif directed:
        direct(resolver)
    else:
        work(resolver)


if __name__ == "__main__":
    main()
