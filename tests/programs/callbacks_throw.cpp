/* C++: error handlers, attribute functions and operators of the program throw; MPI goes on afterwards. */
#include "check.h"
#include <stdexcept>
#include <string>

static int thrown, freed;

struct mpi_error : std::runtime_error {
    using std::runtime_error::runtime_error;
    mpi_error(const mpi_error &) = default;
};

/* Its destructor must run when an exception passes a frame of the program. */
struct Guard {
    ~Guard() { freed++; }
};

static void handle(MPI_Comm *, int *code, ...)
{
    Guard guard;
    int error_class;
    MPI_Error_class(*code, &error_class);
    throw mpi_error(error_class == MPI_ERR_RANK ? "rank" : error_class == MPI_ERR_TAG ? "tag" : "other");
}

static int copy(MPI_Comm, int, void *, void *, void *, int *) { throw mpi_error("copy"); }
static bool erasing;
static int erase(MPI_Comm, int, void *, void *)
{
    if (!erasing) throw mpi_error("delete");
    return MPI_SUCCESS;
}
static int type_copy(MPI_Datatype, int, void *, void *, void *, int *) { throw mpi_error("copy of a type"); }
static void add(void *, void *, int *, MPI_Datatype *) { throw 42; }

template <typename Call> static void expect(const char *what, Call call)
{
    Guard guard;
    try {
        call();
        say("%d %s: nothing\n", rank, what);
    } catch (const mpi_error &error) {
        thrown++;
        say("%d %s: %s\n", rank, what, error.what());
    } catch (int number) {
        thrown++;
        say("%d %s: %d\n", rank, what, number);
    }
}

static void communicate(void)
{
    int token = rank, sum = 0, next = (rank + 1) % size, previous = (rank + size - 1) % size;
    MPI_Sendrecv_replace(&token, 1, MPI_INT, next, 1, previous, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(token == previous);
    MPI_Allreduce(&token, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(sum == size * (size - 1) / 2);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    MPI_Errhandler errhandler;
    MPI_Comm_create_errhandler(handle, &errhandler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, errhandler);
    int value = 1, other = 2, key;
    for (int time = 0; time < 3; time++) {
        expect("send", [&] { MPI_Send(&value, 1, MPI_INT, size + 5, 0, MPI_COMM_WORLD); });
        expect("receive", [&] { MPI_Recv(&value, 1, MPI_INT, 0, -77, MPI_COMM_WORLD, MPI_STATUS_IGNORE); });
        MPI_Request request = MPI_REQUEST_NULL;
        expect("isend", [&] { MPI_Isend(&value, 1, MPI_INT, size, 0, MPI_COMM_WORLD, &request); });
        expect("called by hand", [&] { MPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_TAG); });
        communicate();
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Errhandler_free(&errhandler);

    MPI_Comm dup = MPI_COMM_NULL;
    MPI_Comm_create_keyval(copy, MPI_COMM_NULL_DELETE_FN, &key, nullptr);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, &value);
    expect("dup", [&] { MPI_Comm_dup(MPI_COMM_SELF, &dup); });
    MPI_Comm_delete_attr(MPI_COMM_SELF, key);
    MPI_Comm_free_keyval(&key);
    communicate();

    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, erase, &key, nullptr);
    MPI_Comm_set_attr(MPI_COMM_WORLD, key, &value);
    expect("delete", [&] { MPI_Comm_delete_attr(MPI_COMM_WORLD, key); });
    erasing = true;
    communicate();

    MPI_Datatype type, copied = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(3, MPI_INT, &type);
    MPI_Type_create_keyval(type_copy, MPI_TYPE_NULL_DELETE_FN, &key, nullptr);
    MPI_Type_set_attr(type, key, &value);
    expect("type dup", [&] { MPI_Type_dup(type, &copied); });
    MPI_Type_free(&type);
    communicate();

    MPI_Op op;
    MPI_Op_create(add, 1, &op);
    expect("reduce", [&] { MPI_Reduce_local(&value, &other, 1, MPI_INT, op); });
    CHECK(other == 2);
    MPI_Op_free(&op);
    communicate();
    say("%d %d exceptions, %d destructors\n", rank, thrown, freed);
    int code = finish();
    return code;
}
