/* A ping-pong between two ranks that prints its table as osu_latency does. Ours: OSU's own is in no Debian package. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    int rank, size;
    char *buffer = calloc(1, 1 << 22);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size != 2) {
        if (rank == 0) fprintf(stderr, "This test requires exactly two processes\n");
        MPI_Finalize();
        return 1;
    }
    if (rank == 0) printf("# OSU MPI Latency Test v5.8\n# Size          Latency (us)\n");
    for (int bytes = 1; bytes <= 1 << 22; bytes *= 4) {
        const int count = bytes > 65536 ? 3 : 20;
        MPI_Barrier(MPI_COMM_WORLD);
        double start = MPI_Wtime();
        for (int i = 0; i < count; i++) {
            if (rank == 0) {
                MPI_Send(buffer, bytes, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
                MPI_Recv(buffer, bytes, MPI_CHAR, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            } else {
                MPI_Recv(buffer, bytes, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                MPI_Send(buffer, bytes, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
            }
        }
        if (rank == 0) printf("%-10d%18.2f\n", bytes, (MPI_Wtime() - start) * 1e6 / (2.0 * count));
    }
    MPI_Finalize();
    return 0;
}
