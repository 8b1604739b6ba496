//! What the engine knows by itself, and what the prelude adds, as tables.

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Words(&'static str);

impl Words {
    pub(crate) fn iter<'a>(self) -> impl Iterator<Item = &'a str> {
        let names: &'a str = self.0;
        names.split_ascii_whitespace()
    }

    pub(crate) fn contains(self, name: &str) -> bool {
        self.iter().any(|word| word == name)
    }
}

pub(crate) const BUILTINS: Words = Words(
    "abs all any bin bool bytes chr dict divmod enumerate filter float frozenset getattr hasattr hash hex \
     int isinstance iter len list map max min next object oct ord pow print range repr reversed round set \
     setattr slice sorted str sum tuple type zip Ellipsis NotImplemented __name__",
);

pub(crate) const EXCEPTIONS: Words = Words(
    "ArithmeticError AssertionError AttributeError BaseException Exception ImportError IndexError KeyError \
     KeyboardInterrupt LookupError MemoryError ModuleNotFoundError NameError NotImplementedError OSError \
     OverflowError PermissionError RecursionError RuntimeError StopIteration SyntaxError SystemExit \
     TimeoutError TypeError UnboundLocalError ValueError ZeroDivisionError FileNotFoundError",
);

/// Builtins that the prelude adds.
pub(crate) const ADDED: &[(&str, &str)] =
    &[("callable", "_w_callable"), ("format", "_w_format"), ("ascii", "_w_ascii")];

/// Builtins that there are none of, and what to write instead.
pub const FORBIDDEN: &[(&str, &str)] = &[
    ("__builtins__", "only the listed tools and plain Python exist"),
    ("__import__", "imports are not allowed here; use the listed tools"),
    ("bytearray", "use lists of integers"),
    ("breakpoint", "remove it"),
    ("classmethod", "write a plain function"),
    ("compile", "write the code itself"),
    ("complex", "use two numbers"),
    ("delattr", "set the attribute to None"),
    ("dir", "name the attribute itself"),
    ("eval", "write the expression itself"),
    ("exec", "write the code itself"),
    ("exit", "return from the function"),
    ("globals", "name the variable itself"),
    ("help", "remove it"),
    ("id", "compare objects with ==, or use their field .id"),
    ("input", "nobody answers; decide in the script"),
    ("issubclass", "use isinstance"),
    ("locals", "name the variable itself"),
    ("memoryview", "use lists"),
    ("open", "files cannot be reached; use the listed tools"),
    ("property", "write a plain method"),
    ("quit", "return from the function"),
    ("staticmethod", "write a plain function"),
    ("super", "classes cannot inherit; write plain functions"),
    ("vars", "name the attribute itself"),
];

pub(crate) const MODULES: &[(&str, Words)] = &[
    (
        "math",
        Words(
            "acos acosh asin asinh atan atan2 atanh cbrt ceil comb copysign cos cosh degrees e erf erfc exp exp2 \
         expm1 fabs factorial floor fmod frexp gamma gcd inf isclose isfinite isinf isnan isqrt lcm ldexp \
         lgamma log log10 log1p log2 modf nan nextafter perm pi pow radians remainder sin sinh sqrt tan tanh \
         tau trunc ulp",
        ),
    ),
    ("collections", Words("Counter defaultdict deque namedtuple")),
    ("functools", Words("partial")),
    ("itertools", Words("batched chain compress count cycle islice pairwise repeat zip_longest")),
    ("dataclasses", Words("dataclass is_dataclass FrozenInstanceError")),
    ("json", Words("loads dumps JSONDecodeError")),
    (
        "re",
        Words(
            "A ASCII DOTALL I IGNORECASE M MULTILINE Match NOFLAG Pattern PatternError S compile error escape \
         findall finditer fullmatch match search split sub",
        ),
    ),
];

/// What the prelude adds to modules: on a line of a module names, with their names in the prelude.
const SHIMS: &str = "\
bisect: bisect=_w_bisect_right bisect_left=_w_bisect_left bisect_right=_w_bisect_right insort=_w_insort
collections: OrderedDict=dict
copy: copy=_w_copy deepcopy=_w_deepcopy
functools: cache=_w_cache cmp_to_key=_w_cmp_to_key lru_cache=_w_lru_cache reduce=_w_reduce wraps=_w_wraps
heapq: heapify=_w_heapify heappop=_w_heappop heappush=_w_heappush nlargest=_w_nlargest nsmallest=_w_nsmallest
itertools: accumulate=_w_accumulate combinations=_w_combinations
itertools: combinations_with_replacement=_w_combinations_again dropwhile=_w_dropwhile
itertools: filterfalse=_w_filterfalse groupby=_w_groupby permutations=_w_permutations product=_w_product
itertools: starmap=_w_starmap takewhile=_w_takewhile
math: dist=_w_dist fsum=_w_fsum hypot=_w_hypot prod=_w_prod
operator: add=_w_op_add attrgetter=_w_attrgetter itemgetter=_w_itemgetter mul=_w_op_mul neg=_w_op_neg
operator: sub=_w_op_sub
random: choice=_w_random_choice choices=_w_random_choices randint=_w_random_randint random=_w_random_random
random: randrange=_w_random_randrange sample=_w_random_sample seed=_w_random_seed shuffle=_w_random_shuffle
random: uniform=_w_random_uniform
statistics: fmean=_w_fmean mean=_w_mean median=_w_median mode=_w_mode pstdev=_w_pstdev stdev=_w_stdev
string: ascii_letters=_w_ascii_letters ascii_lowercase=_w_ascii_lowercase ascii_uppercase=_w_ascii_uppercase
string: digits=_w_digits punctuation=_w_punctuation
typing: NewType=_w_typevar TYPE_CHECKING=False TypeVar=_w_typevar cast=_w_cast";

/// What the prelude adds to modules: module, name, name in the prelude.
pub(crate) fn shims() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    let lines = SHIMS.lines().filter_map(|line| line.split_once(": "));
    lines.flat_map(|(module, pairs)| {
        let pairs = pairs.split(' ').filter_map(|pair| pair.split_once('='));
        pairs.map(move |(name, own)| (module, name, own))
    })
}

/// Names of modules that scripts use without naming the module, and that mean nothing else.
pub(crate) const COMMON: &[(&str, Words)] = &[
    ("math", Words("atan2 ceil cos degrees floor hypot isclose pi radians sin sqrt tan")),
    ("collections", Words("Counter OrderedDict defaultdict deque namedtuple")),
    ("functools", Words("cmp_to_key lru_cache partial reduce")),
    ("itertools", Words("accumulate chain combinations groupby pairwise permutations product zip_longest")),
    ("dataclasses", Words("dataclass")),
    ("copy", Words("deepcopy")),
    ("statistics", Words("mean median")),
];

/// Modules that scripts ask for in vain, and what to write instead.
pub(crate) const NO_MODULES: &[(&str, &str)] = &[
    ("PIL", "pictures are handled by the listed tools"),
    ("asyncio", "tools are called without await"),
    ("cv2", "pictures are handled by the listed tools"),
    ("dataclass", "use from dataclasses import dataclass"),
    ("enum", "use plain text constants"),
    ("numpy", "use lists and the module math"),
    ("os", "files and the system cannot be reached"),
    ("pathlib", "files cannot be reached"),
    ("requests", "the network cannot be reached"),
    ("socket", "the network cannot be reached"),
    ("subprocess", "programs cannot be started"),
    ("sys", "remove it"),
    ("time", "tools wait for the screen to settle by themselves; remove it"),
    ("urllib", "the network cannot be reached"),
];

/// Attributes of the engine's own kinds of values.
pub(crate) const ATTRIBUTES: Words = Words(
    "capitalize casefold center count decode encode endswith expandtabs find format fromhex hex index \
     isalnum isalpha isascii isdecimal isdigit isidentifier islower isnumeric isprintable isspace istitle \
     isupper join ljust lower lstrip partition removeprefix removesuffix replace rfind rindex rjust \
     rpartition rsplit rstrip split splitlines startswith strip swapcase title upper zfill add append \
     appendleft as_integer_ratio bit_length clear copy default_factory denominator difference \
     difference_update discard elements extend extendleft fromkeys get imag insert intersection \
     intersection_update is_integer isdisjoint issubset issuperset items keys maxlen most_common move_to_end \
     numerator pop popitem popleft real remove reverse rotate setdefault sort start step stop subtract \
     symmetric_difference symmetric_difference_update total union update values _asdict _fields _replace \
     args colno doc end expand findall finditer flags fullmatch group groupdict groupindex groups lastgroup \
     lastindex lineno match msg pattern pos re search span string sub subn from_iterable func keywords",
);

/// Methods with two underscores that the engine calls.
pub(crate) const OWN_DUNDERS: Words = Words(
    "__init__ __repr__ __str__ __eq__ __hash__ __iter__ __next__ __contains__ __index__ __enter__ __exit__",
);

/// Attributes of the engine's own kinds of values that are not methods, or not always.
pub(crate) const NO_METHODS: Words = Words(
    "args colno default_factory denominator doc end flags fromhex fromkeys func groupindex imag keywords \
     lastgroup lastindex lineno maxlen msg numerator pattern pos re real start step stop string _fields",
);

/// Modules whose names mean nothing at run time.
pub(crate) const MEANINGLESS: &[&str] = &["typing", "collections.abc", "__future__"];

/// What stands for a name of a module: in the prelude, or nothing for names without meaning.
pub(crate) fn stand_in(module: &str, name: &str) -> Option<&'static str> {
    let shim = shims().find(|(m, n, _)| *m == module && *n == name).map(|(_, _, own)| own);
    shim.or_else(|| MEANINGLESS.contains(&module).then_some("None"))
}
