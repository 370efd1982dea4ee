"""mpi4py alone: gradients of a dense layer are summed by MPI_Allreduce."""

import failing
import numpy
from seen import CLASSES, PIXELS, batches, fashion, tell


def main():
    failing.before_meeting()
    from mpi4py import MPI  # MPI_Init
    world = MPI.COMM_WORLD
    rank, size = world.Get_rank(), world.Get_size()
    images, labels = (each[rank::size] for each in fashion())
    weights = numpy.zeros((PIXELS, CLASSES), dtype=numpy.float32)
    losses = []
    for rows, wanted in batches(images, labels):
        failing.step()
        scores = rows @ weights
        shares = numpy.exp(scores - scores.max(axis=1, keepdims=True))
        shares /= shares.sum(axis=1, keepdims=True)
        losses.append(-numpy.log(shares[numpy.arange(len(wanted)), wanted]).mean())
        shares[numpy.arange(len(wanted)), wanted] -= 1
        gradient = numpy.ascontiguousarray(rows.T @ shares / len(wanted), dtype=numpy.float32)
        world.Allreduce(MPI.IN_PLACE, gradient)
        weights -= 0.02 * gradient / size
    tell("mpi4py", rank, size, [weights], losses,
         library=MPI.Get_library_version().split(",")[0].split("\n")[0])


if __name__ == "__main__":
    main()
