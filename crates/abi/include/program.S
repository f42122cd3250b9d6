/* Linked into programs by `mpirage cc`: a shared object with an interpreter is a program that runs alone, and that the
   simulator can load once per rank. */
	.section .interp, "a"
#if defined(__x86_64__)
	.string "/lib64/ld-linux-x86-64.so.2"
#elif defined(__aarch64__)
	.string "/lib/ld-linux-aarch64.so.1"
#else
#error "foldable programs are for x86-64 and aarch64"
#endif
	.section .note.GNU-stack, ""
