/* A pulse that spreads through a block of rock: finite differences with absorbing borders, on any grid of processes.
 *
 * Usage: front [ITERATIONS [NXxNYxNZ [ROWSxCOLUMNS [SCALE]]]]
 *
 * The program solves the acoustic wave equation on a staggered grid (pressure in cells, velocity on their faces), as the seismic
 * code Ondes3D does for the elastic one. Its load is uneven in space: cells in the absorbing borders compute more. It is uneven in
 * time as well: cells that have not moved since the last iteration are left alone, so the work follows the front of the wave. Both
 * depend on cells only, so that the sum over blocks is the same on all grids of processes.
 *
 * Velocity goes to the right and downwards, pressure to the left and upwards, while the inner cells compute. Each iteration ends
 * with a migration point, at which a load balancer may move the rank to another core (`mpirage balance`). The program declares the
 * work of an elastic code, so that results do not depend on this machine: run it with `--compute none`. With SCALE each of its cells
 * stands for SCALE^3 cells of the declared work and state, and each face of a cell for SCALE^2. Without mpirage the program
 * just computes.
 */
#include <math.h>
#include <mpi.h>
#include <smpi/smpi.h>
#include <stdio.h>
#include <stdlib.h>

#define BORDER 10     /* cells, on each side, that absorb */
#define COURANT 0.4   /* cells that the wave crosses in an iteration */
#define PULSE 24      /* iterations for which the source moves */
#define AT_REST 1e-3  /* of the amplitude: differences below it do not count */
/* Floating-point operations of one kernel in one cell. */
#define LOOK_FLOPS 100.0
#define MOVE_FLOPS 500.0
#define ABSORB_FLOPS 500.0
/* Values that a kernel of an elastic code of fourth order sends for one cell of a face: two layers of six stresses or three
   velocities. This program needs one of them. */
#define VALUES 9
/* Bytes of one cell: velocity, stress, material and the memory of the absorbing borders. */
#define CELL_BYTES 160

/* The part of the domain that this rank has: `n` cells in x, y and z, from cell `first` on, of `all` cells. */
typedef struct {
    int n[3], first[3], all[3];
    int left, right, up, down;
    double *pressure, *vx, *vy, *vz; /* with a layer of cells around them */
    double *out[2], *in[2];
    double flops;
    int scale;
} Block;

static size_t at(const Block *block, int x, int y, int z)
{
    return ((size_t)(z + 1) * (block->n[1] + 2) + (y + 1)) * (block->n[0] + 2) + (x + 1);
}

/* How much a cell absorbs: nothing inside, more towards the border. The surface (z = 0) reflects. */
static double absorption(const Block *block, int x, int y)
{
    int place[2] = {block->first[0] + x, block->first[1] + y}, depth = 0;
    for (int axis = 0; axis < 2; axis++) {
        int inside = place[axis] < block->all[axis] - 1 - place[axis] ? place[axis] : block->all[axis] - 1 - place[axis];
        if (BORDER - inside > depth)
            depth = BORDER - inside;
    }
    return (double)depth / BORDER;
}

/* Counts the work of a cell; true if it moves. */
static int moves(Block *block, double difference, double absorbs)
{
    int moving = difference > AT_REST;
    block->flops += LOOK_FLOPS + (moving ? MOVE_FLOPS : 0.0) + (absorbs > 0.0 ? ABSORB_FLOPS : 0.0);
    return moving;
}

static double damp(double value, double absorbs)
{
    return absorbs > 0.0 ? value * exp(-0.3 * absorbs * absorbs) : value;
}

static void stress(Block *block, int x, int y, int z)
{
    size_t here = at(block, x, y, z);
    double dx = block->vx[here] - block->vx[at(block, x - 1, y, z)];
    double dy = block->vy[here] - block->vy[at(block, x, y - 1, z)];
    double dz = block->vz[here] - block->vz[at(block, x, y, z - 1)];
    double absorbs = absorption(block, x, y);
    if (moves(block, fabs(dx) + fabs(dy) + fabs(dz), absorbs))
        block->pressure[here] -= COURANT * (dx + dy + dz);
    block->pressure[here] = damp(block->pressure[here], absorbs);
}

static void velocity(Block *block, int x, int y, int z)
{
    size_t here = at(block, x, y, z);
    double own = block->pressure[here];
    double dx = block->pressure[at(block, x + 1, y, z)] - own;
    double dy = block->pressure[at(block, x, y + 1, z)] - own;
    double dz = z + 1 < block->n[2] ? block->pressure[at(block, x, y, z + 1)] - own : 0.0;
    double absorbs = absorption(block, x, y);
    if (moves(block, fabs(dx) + fabs(dy) + fabs(dz), absorbs)) {
        block->vx[here] -= COURANT * dx;
        block->vy[here] -= COURANT * dy;
        block->vz[here] -= COURANT * dz;
    }
    block->vx[here] = damp(block->vx[here], absorbs);
    block->vy[here] = damp(block->vy[here], absorbs);
    block->vz[here] = damp(block->vz[here], absorbs);
}

/* Applies a kernel to a box of cells, and declares its work. */
static void compute(Block *block, void (*kernel)(Block *, int, int, int), int x0, int x1, int y0, int y1)
{
    block->flops = 0.0;
    for (int z = 0; z < block->n[2]; z++)
        for (int y = y0; y < y1; y++)
            for (int x = x0; x < x1; x++)
                kernel(block, x, y, z);
    if (block->flops > 0.0)
        smpi_execute_flops(block->flops * block->scale * block->scale * block->scale);
}

/* Copies a layer of cells to or from a buffer; `across` is the axis that it is normal to. */
static void layer(Block *block, double *field, int across, int place, double *buffer, int pack)
{
    int along = 1 - across;
    for (int z = 0; z < block->n[2]; z++)
        for (int i = 0; i < block->n[along]; i++) {
            size_t cell = across == 0 ? at(block, place, i, z) : at(block, i, place, z);
            double *other = &buffer[(size_t)z * block->n[along] + i];
            if (pack)
                *other = field[cell];
            else
                field[cell] = *other;
        }
}

/* One field for each axis travels to the neighbours on one side while the cells that do not need it compute. */
static void step(Block *block, void (*kernel)(Block *, int, int, int), double *fields[2], int onwards)
{
    int from[2] = {onwards ? block->left : block->right, onwards ? block->up : block->down};
    int to[2] = {onwards ? block->right : block->left, onwards ? block->down : block->up};
    MPI_Request requests[4];
    for (int axis = 0; axis < 2; axis++) {
        int count = block->n[1 - axis] * block->n[2] * VALUES * block->scale * block->scale;
        MPI_Irecv(block->in[axis], count, MPI_DOUBLE, from[axis], axis, MPI_COMM_WORLD, &requests[axis]);
    }
    for (int axis = 0; axis < 2; axis++) {
        int count = block->n[1 - axis] * block->n[2] * VALUES * block->scale * block->scale;
        layer(block, fields[axis], axis, onwards ? block->n[axis] - 1 : 0, block->out[axis], 1);
        MPI_Isend(block->out[axis], count, MPI_DOUBLE, to[axis], axis, MPI_COMM_WORLD, &requests[2 + axis]);
    }
    int nx = block->n[0], ny = block->n[1];
    compute(block, kernel, onwards, nx - !onwards, onwards, ny - !onwards);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    for (int axis = 0; axis < 2; axis++)
        if (from[axis] != MPI_PROC_NULL)
            layer(block, fields[axis], axis, onwards ? -1 : block->n[axis], block->in[axis], 0);
    compute(block, kernel, 0, nx, onwards ? 0 : ny - 1, onwards ? 1 : ny);
    compute(block, kernel, onwards ? 0 : nx - 1, onwards ? 1 : nx, onwards, ny - !onwards);
}

/* What would have to move with this rank. */
static unsigned long long state_bytes(const Block *block)
{
    unsigned long long cells = (unsigned long long)block->n[0] * block->n[1] * block->n[2];
    return cells * CELL_BYTES * block->scale * block->scale * block->scale;
}

/* The source shakes one column of cells for a while. */
static void shake(Block *block, int iteration)
{
    int x = block->all[0] * 3 / 10 - block->first[0], y = block->all[1] * 6 / 10 - block->first[1];
    if (iteration >= PULSE || x < 0 || x >= block->n[0] || y < 0 || y >= block->n[1])
        return;
    double sine = sin(3.14159265358979 * (iteration + 1) / PULSE);
    for (int z = 0; z < block->n[2]; z++)
        block->pressure[at(block, x, y, z)] += sine * sine;
}

static Block divide(const int all[3], int rank, int rows, int columns, int scale)
{
    int place[3] = {rank % columns, rank / columns, 0}, parts[3] = {columns, rows, 1};
    Block block = {.scale = scale};
    size_t cells = 1, faces;
    for (int axis = 0; axis < 3; axis++) {
        block.all[axis] = all[axis];
        block.first[axis] = (int)((long long)all[axis] * place[axis] / parts[axis]);
        block.n[axis] = (int)((long long)all[axis] * (place[axis] + 1) / parts[axis]) - block.first[axis];
        cells *= (size_t)block.n[axis] + 2;
    }
    block.left = place[0] > 0 ? rank - 1 : MPI_PROC_NULL;
    block.right = place[0] < columns - 1 ? rank + 1 : MPI_PROC_NULL;
    block.up = place[1] > 0 ? rank - columns : MPI_PROC_NULL;
    block.down = place[1] < rows - 1 ? rank + columns : MPI_PROC_NULL;
    double **fields[] = {&block.pressure, &block.vx, &block.vy, &block.vz};
    for (int field = 0; field < 4; field++)
        *fields[field] = calloc(cells, sizeof(double));
    for (int axis = 0; axis < 2; axis++) {
        faces = (size_t)block.n[1 - axis] * block.n[2] * VALUES * scale * scale;
        block.out[axis] = calloc(faces, sizeof(double));
        block.in[axis] = calloc(faces, sizeof(double));
    }
    return block;
}

static double energy(const Block *block)
{
    double sum = 0.0;
    for (int z = 0; z < block->n[2]; z++)
        for (int y = 0; y < block->n[1]; y++)
            for (int x = 0; x < block->n[0]; x++)
                sum += block->pressure[at(block, x, y, z)] * block->pressure[at(block, x, y, z)];
    return sum;
}

int main(int argc, char **argv)
{
    int rank, ranks, iterations = 300, all[3] = {128, 128, 4}, dims[2] = {0, 0}, scale = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Dims_create(ranks, 2, dims);
    int right = (argc < 2 || sscanf(argv[1], "%d", &iterations) == 1) && /* the command line is in order */
                (argc < 3 || sscanf(argv[2], "%dx%dx%d", &all[0], &all[1], &all[2]) == 3) &&
                (argc < 4 || sscanf(argv[3], "%dx%d", &dims[0], &dims[1]) == 2) &&
                (argc < 5 || sscanf(argv[4], "%d", &scale) == 1);
    if (!right || scale < 1 || dims[0] * dims[1] != ranks || all[0] < dims[1] || all[1] < dims[0] || all[2] < 1) {
        if (rank == 0)
            fprintf(stderr, "usage: front [ITERATIONS [NXxNYxNZ [ROWSxCOLUMNS [SCALE]]]], with a cell or more for each rank\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    Block block = divide(all, rank, dims[0], dims[1], scale);
    for (int iteration = 0; iteration < iterations; iteration++) {
        shake(&block, iteration);
        step(&block, stress, (double *[2]){block.vx, block.vy}, 1);
        step(&block, velocity, (double *[2]){block.pressure, block.pressure}, 0);
        MPIRAGE_MIGRATE(state_bytes(&block)); /* AMPI_Migrate, with the size of the state */
    }
    double own = energy(&block), sum;
    MPI_Reduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%dx%d ranks, %d iterations, %dx%dx%d cells: energy %.6g\n", dims[0], dims[1], iterations, all[0], all[1], all[2], sum);
    double *arrays[] = {block.pressure, block.vx, block.vy, block.vz, block.out[0], block.out[1], block.in[0], block.in[1]};
    for (int array = 0; array < 8; array++)
        free(arrays[array]);
    MPI_Finalize();
    return 0;
}
