"""Names that a project cannot have, beside the reserved words of C++."""

from __future__ import annotations

_GLOBAL = """
a64l abort abs access acct acos acosh adjtime alarm alloca arc4random asctime asin asinh asprintf atan atan2 atanh
atexit atof atoi atol basename bcmp bcopy brk bsearch btowc bzero calloc canonicalize cbrt ceil chdir chmod chown
chroot clearenv clearerr clock clock64 clone close closefrom confstr copysign cos cosh cospi crypt ctermid ctime
cyl_bessel_i0 cyl_bessel_i1 daemon daylight difftime digit div dprintf drand48 drem dup dup2 dup3 duplocale dysize
eaccess ecvt endusershell environ erand48 erf erfc erfcinv erfcx erfinv euidaccess exit exp exp10 exp2 expm1 fabs
faccessat fadd fchdir fchmod fchmodat fchown fchownat fclose fcloseall fcvt fdatasync fdim fdiv fdopen feof ferror
fexecve fflush ffma ffs fileno finite flockfile floor fma fmax fmaximum fmaxmag fmemopen fmin fminimum fminmag fmod
fmul fopen fopencookie fork fpathconf fprintf fread free freelocale freopen frexp fromfp fromfpx fscanf fseek fseeko
fsetpos fsqrt fstat fstatat fsub fsync ftell ftello ftruncate ftrylockfile funlockfile futimens futimes futimesat
fwide fwprintf fwrite fwscanf gamma gcvt gmtime grantpt hypot ilogb index initstate iovec isalnum isalpha isatty
isblank iscanonical iscntrl isctype iseqsig isgraph isgreater isgreaterequal isinff isinfl isless islessequal
islessgreater islower isnanf isnanl isprint ispunct issignaling isspace isunordered isupper isxdigit iszero itimerspec
itimerval j0 j1 jn jrand48 l64a labs lchmod lchown lcong48 lconv ldexp ldiv lgamma link linkat llabs lldiv llmax llmin
llogb llrint llround localeconv localtime lockf log log10 log1p log2 logb lrand48 lrint lround lseek lstat lutimes
madvise malloc mblen mbtowc memccpy memchr memcmp memcpy memfrob memmem memmove mempcpy memrchr memset mincore mlock
mlock2 mlockall mmap modf mprotect mrand48 mremap msync mulhi munlock munlockall munmap nan nanosleep nearbyint
newlocale nextafter nextdown nexttoward nextup nice norm norm3d norm4d normcdf normcdfinv nrand48 obstack pathconf
pause pclose perror pipe pipe2 popen pow powi pread printf profil pselect ptsname putc putchar putenv puts pwrite
qecvt qfcvt qgcvt qsort rand random rcbrt read readlink readlinkat realloc reallocarray realpath remainder remove
remquo rename renameat renameat2 revoke rewind rhypot rindex rint rmdir rnorm rnorm3d rnorm4d round roundeven rpmatch
rsqrt saturate sbrk scalb scalbln scalbn scanf sdigit seed48 select sigevent significand sin sincos sincospi sinh
sinpi sleep snprintf sprintf sqrt srand srand48 srandom sscanf stat statx stpcpy stpncpy strcasecmp strcasestr strcat
strchr strchrnul strcmp strcoll strcpy strcspn strdup strerror strfromd strfromf strfroml strfry strftime strlen
strncasecmp strncat strncmp strncpy strndup strnlen strpbrk strptime strrchr strsep strsignal strspn strstr strtod
strtof strtoimax strtok strtol strtold strtoq strtoul strtoumax strtouq strverscmp strxfrm stwodigits swab swprintf
swscanf symlink symlinkat sync syncfs syscall sysconf system tan tanh tcgetpgrp tcsetpgrp tempnam tgamma time timegm
timelocal timespec timeval timex timezone tm tmpfile tmpnam toascii tolower totalorder totalordermag toupper trunc
truncate ttyname ttyslot twodigits tzname tzset ualarm ufromfp ufromfpx ullmax ullmin umask umax umin umulhi ungetc
ungetwc unlink unlinkat unlockpt unsetenv unshare uselocale usleep utimensat utimes valloc vasprintf vdprintf vfork
vfprintf vfscanf vfwprintf vfwscanf vhangup vprintf vscanf vsnprintf vsprintf vsscanf vswprintf vswscanf vwprintf
vwscanf wcpcpy wcpncpy wcrtomb wctob wctomb wcwidth wprintf wrapperbase write wscanf y0 y1 yn
"""

_CMAKE = """
all ALL_BUILD clean edit_cache help install INSTALL package package_source preinstall rebuild_cache RUN_TESTS test
ZERO_CHECK
"""

GLOBAL_NAMES: frozenset[str] = frozenset(_GLOBAL.split())
"""What C, POSIX and CUDA headers declare outside of any namespace: a namespace of that name is an error."""

CMAKE_TARGETS: frozenset[str] = frozenset(_CMAKE.split())
"""Targets that CMake keeps for itself."""
