! Every clock of Fortran shows simulated time.
program clocks
  use mpi
  implicit none
  integer :: ierr, rank, before(8), after(8)
  integer(8) :: c0, c1, rate
  double precision :: w0, w1
  real :: p0, p1
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  w0 = MPI_Wtime(); call system_clock(c0, rate); call date_and_time(values=before); call cpu_time(p0)
  call sleep(2)
  call cpu_time(p1); call date_and_time(values=after); call system_clock(c1); w1 = MPI_Wtime()
  print '(i0,a,f8.3,a,f8.3,a,l1,a,i4.4,2(a,i2.2),a,i0)', rank, ' wtime ', w1 - w0, ' system_clock ', dble(c1 - c0) / rate, &
    ' cpu below 1 s ', p1 - p0 < 1, ' date ', before(1), '-', before(2), '-', before(3), &
    ' seconds ', modulo(60*after(6) + after(7) - 60*before(6) - before(7), 3600)
  call MPI_Finalize(ierr)
end program
