/* Messages in a window from one rank to another that print their table as osu_bw does. Ours: OSU's own is in no Debian package. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { WINDOW = 16 };

int main(int argc, char **argv) {
    int rank, size;
    char *buffer = calloc(1, 1 << 22);
    MPI_Request requests[WINDOW];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size != 2) {
        if (rank == 0) fprintf(stderr, "This test requires exactly two processes\n");
        MPI_Finalize();
        return 1;
    }
    if (rank == 0) printf("# OSU MPI Bandwidth Test v5.8\n# Size      Bandwidth (MB/s)\n");
    for (int bytes = 1; bytes <= 1 << 22; bytes *= 4) {
        MPI_Barrier(MPI_COMM_WORLD);
        double start = MPI_Wtime();
        for (int i = 0; i < WINDOW; i++) {
            if (rank == 0)
                MPI_Isend(buffer, bytes, MPI_CHAR, 1, 1, MPI_COMM_WORLD, &requests[i]);
            else
                MPI_Irecv(buffer, bytes, MPI_CHAR, 0, 1, MPI_COMM_WORLD, &requests[i]);
        }
        MPI_Waitall(WINDOW, requests, MPI_STATUSES_IGNORE);
        if (rank == 0)
            MPI_Recv(buffer, 1, MPI_CHAR, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        else
            MPI_Send(buffer, 1, MPI_CHAR, 0, 2, MPI_COMM_WORLD);
        if (rank == 0) printf("%-10d%18.2f\n", bytes, (double)bytes * WINDOW / 1e6 / (MPI_Wtime() - start));
    }
    MPI_Finalize();
    return 0;
}
