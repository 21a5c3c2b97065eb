/* All-reduce over all ranks that prints its table as osu_allreduce does. Ours: OSU's own is in no Debian package. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    float *in = calloc(1, 1 << 20), *out = calloc(1, 1 << 20);
    if (rank == 0) printf("\n# OSU MPI Allreduce Latency Test v5.8\n# Size       Avg Latency(us)\n");
    for (int bytes = 4; bytes <= 1 << 20; bytes *= 4) {
        const int count = 3;
        double spent = 0, sum = 0;
        for (int i = 0; i < count; i++) {
            MPI_Barrier(MPI_COMM_WORLD);
            double start = MPI_Wtime();
            MPI_Allreduce(in, out, bytes / (int)sizeof(float), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
            spent += MPI_Wtime() - start;
        }
        MPI_Reduce(&spent, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
        int ranks;
        MPI_Comm_size(MPI_COMM_WORLD, &ranks);
        if (rank == 0) printf("%-10d%18.2f\n", bytes, sum * 1e6 / count / ranks);
    }
    MPI_Finalize();
    return 0;
}
