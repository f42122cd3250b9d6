/* Linked into programs by `mpirage cc`: a shared object with an interpreter is a program that runs alone, and that the
   simulator can load once per rank. The linker keeps the entry point and what it refers to, also with --gc-sections. */
	.section .interp, "a"
mpirage_interpreter:
#if defined(__x86_64__)
	.string "/lib64/ld-linux-x86-64.so.2"
#elif defined(__aarch64__)
	.string "/lib/ld-linux-aarch64.so.1"
#else
#error "foldable programs are for x86-64 and aarch64"
#endif

	.section .text.mpirage_start, "ax"
	.globl mpirage_start
	.hidden mpirage_start
	.type mpirage_start, %function
mpirage_start:
#if defined(__x86_64__)
	jmp _start
#else
	b _start
#endif
	.long mpirage_interpreter - .
	.size mpirage_start, . - mpirage_start
	.section .note.GNU-stack, ""
