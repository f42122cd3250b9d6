C     MPI_Wtime of mpif.h has 8 bytes, whatever the default real is.
      PROGRAM DEFREAL
      INCLUDE 'mpif.h'
      INTEGER IERR
      REAL(KIND=8) BEFORE, AFTER, PBEFORE
      CALL MPI_INIT(IERR)
      BEFORE = MPI_WTIME()
      PBEFORE = PMPI_WTIME()
      CALL SLEEP(3)
      AFTER = MPI_WTIME()
      PRINT '(F6.3,1X,F6.3,2(1X,L1))', AFTER - BEFORE,
     &  PMPI_WTIME() - PBEFORE, MPI_WTICK() .LT. 1.0,
     &  PMPI_WTICK() .EQ. MPI_WTICK()
      CALL MPI_FINALIZE(IERR)
      END
