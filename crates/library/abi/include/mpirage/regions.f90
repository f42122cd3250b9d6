! mpirage/regions.f90: regions of a program, with names. mpirage/regions.h says more; both files speak the same language.
!
!     include 'mpirage/regions.f90'      ! once, before the first program unit that uses the module
!     program waves
!       use mpi
!       use mpirage_regions
!       ...
!       call mpirage_region_begin('halo exchange')
!       ...
!       call mpirage_region_end('halo exchange')
!
! It needs nothing but MPI_PCONTROL, so it works with any MPI. Blanks at the end of a name do not count.

module mpirage_regions
  implicit none
  private
  public :: mpirage_region_begin, mpirage_region_end
  integer, parameter :: most = 64, longest = 255
  integer, save :: named(most), count = 0

contains

  ! FNV-1a in 64 bits, cut to 32 in each step; at least 65536.
  integer function number_of(name)
    character(len=*), intent(in) :: name
    integer, parameter :: wide = selected_int_kind(18)
    integer(wide) :: hash
    integer :: at
    hash = 2166136261_wide
    do at = 1, min(len_trim(name), longest)
      hash = iand(ieor(hash, int(iachar(name(at:at)), wide)) * 16777619_wide, 4294967295_wide)
    end do
    hash = iand(hash, 1073741823_wide)
    if (hash < 65536_wide) hash = hash + 65536_wide
    number_of = int(hash)
  end function number_of

  subroutine tell(number, name)
    integer, intent(in) :: number
    character(len=*), intent(in) :: name
    external :: MPI_Pcontrol
    integer :: length, at, character, part
    length = min(len_trim(name), longest)
    call MPI_Pcontrol(ior(1836056576, length))
    call MPI_Pcontrol(number)
    do at = 1, length, 3
      part = 0
      do character = at, at + 2
        part = ishft(part, 8)
        if (character <= length) part = ior(part, iachar(name(character:character)))
      end do
      call MPI_Pcontrol(ior(1845493760, part))
    end do
  end subroutine tell

  subroutine mpirage_region_begin(name)
    character(len=*), intent(in) :: name
    external :: MPI_Pcontrol
    integer :: number
    number = number_of(name)
    if (.not. any(named(1:count) == number)) then
      call tell(number, name)
      if (count < most) then
        count = count + 1
        named(count) = number
      end if
    end if
    call MPI_Pcontrol(number)
  end subroutine mpirage_region_begin

  subroutine mpirage_region_end(name)
    character(len=*), intent(in) :: name
    external :: MPI_Pcontrol
    call MPI_Pcontrol(-number_of(name))
  end subroutine mpirage_region_end

end module mpirage_regions
