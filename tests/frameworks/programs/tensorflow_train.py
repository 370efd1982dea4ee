"""TensorFlow's MultiWorkerMirroredStrategy, which finds its cluster in TF_CONFIG."""

import failing
import tensorflow as tf
from seen import CLASSES, PIXELS, batches, fashion, tell


def main():
    failing.before_meeting()
    tf.random.set_seed(1)
    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    resolver = strategy.cluster_resolver
    workers = resolver.cluster_spec().as_dict().get("worker", [])
    chiefs = resolver.cluster_spec().as_dict().get("chief", [])
    rank = resolver.task_id + (len(chiefs) if resolver.task_type == "worker" else 0)
    world = strategy.num_replicas_in_sync
    mean = tf.VariableAggregation.MEAN
    with strategy.scope():
        weights = tf.Variable(tf.zeros((PIXELS, CLASSES)), aggregation=mean)
        biases = tf.Variable(tf.zeros(CLASSES), aggregation=mean)

    def step(rows, labels):
        with tf.GradientTape() as tape:
            scores = tf.matmul(rows, weights) + biases
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, scores))
        for variable, gradient in zip((weights, biases), tape.gradient(loss, (weights, biases))):
            variable.assign_sub(0.02 * gradient)
        return loss

    @tf.function
    def train(rows, labels):
        return strategy.reduce("MEAN", strategy.run(step, (rows, labels)), axis=None)

    images, labels = (tf.constant(each[rank::world]) for each in fashion())
    losses = []
    for batch in batches(images, labels):
        failing.step()
        losses.append(float(train(*batch)))
    tell("tensorflow", rank, world, [weights.numpy(), biases.numpy()], losses,
         type=resolver.task_type, workers=len(workers) + len(chiefs))


if __name__ == "__main__":
    main()
