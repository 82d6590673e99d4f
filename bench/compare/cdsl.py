"""Our library from Python: ctypes over include/cdsl/cdsl.h, as much of it as a measurement needs. Needs nothing but Python."""
import collections
import ctypes

TYPES = ["bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "bf16", "f32", "f64", "f8e4m3", "f8e5m2", "c64",
         "c128", "record"]
ROLES = ["scalar", "input", "inout", "output", "size"]


class RuntimeOptions(ctypes.Structure):
    _fields_ = [("device", ctypes.c_char_p), ("cache_folder", ctypes.c_char_p)]


class ModuleOptions(ctypes.Structure):
    _fields_ = [("architecture", ctypes.c_char_p),
                ("defines", ctypes.POINTER(ctypes.c_char_p)), ("define_count", ctypes.c_size_t),
                ("settings", ctypes.POINTER(ctypes.c_char_p)), ("setting_count", ctypes.c_size_t),
                ("import_folders", ctypes.POINTER(ctypes.c_char_p)), ("import_folder_count", ctypes.c_size_t),
                ("open_sizes", ctypes.c_int), ("strict", ctypes.c_int), ("fast_math", ctypes.c_int), ("general_only", ctypes.c_int)]


class Parameter(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("role", ctypes.c_int), ("type", ctypes.c_int), ("element_bytes", ctypes.c_size_t),
                ("rank", ctypes.c_int), ("part_count", ctypes.c_int), ("layout", ctypes.c_char_p), ("strided", ctypes.c_int)]


class Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("type", ctypes.c_int), ("rank", ctypes.c_int),
                ("extents", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("parts", ctypes.POINTER(ctypes.c_void_p))]


class Scalar(ctypes.Union):
    _fields_ = [("i", ctypes.c_int64), ("u", ctypes.c_uint64), ("f", ctypes.c_double)]


class Argument(ctypes.Structure):
    _fields_ = [("tensor", ctypes.POINTER(Tensor)), ("scalar_type", ctypes.c_int), ("scalar", Scalar)]


# A dense tensor: its address, the name of its element type, its extents and the bytes of an element.
Dense = collections.namedtuple("Dense", "address type shape item")


class CdslError(Exception):
    """A function of the library failed; the text is the library's."""


def strings(items):
    return (ctypes.c_char_p * len(items))(*[item.encode() for item in items])


class Library:
    def __init__(self, path):
        self.functions = ctypes.CDLL(str(path))
        self.functions.cdsl_last_error.restype = ctypes.c_char_p
        self.functions.cdsl_version.restype = ctypes.c_char_p
        self.functions.cdsl_status_name.restype = ctypes.c_char_p
        self.functions.cdsl_kernel_parameter_count.restype = ctypes.c_size_t

    @property
    def version(self):
        return self.functions.cdsl_version().decode()

    def call(self, name, *arguments):
        status = getattr(self.functions, name)(*arguments)
        if status != 0:
            message = (self.functions.cdsl_last_error() or b"").decode(errors="replace")
            raise CdslError(f"{self.functions.cdsl_status_name(status).decode()}: {message}")

    def runtime(self, device=None, cache_folder=None):
        return Runtime(self, device, cache_folder)


class Handle:
    """A handle of the library with its destroy function."""
    destroy = ""

    def __init__(self, library):
        self.cdsl, self.handle = library, ctypes.c_void_p()

    def __del__(self):
        if self.handle:
            getattr(self.cdsl.functions, self.destroy)(self.handle)


class Runtime(Handle):
    destroy = "cdsl_runtime_destroy"

    def __init__(self, library, device, cache_folder):
        super().__init__(library)
        options = RuntimeOptions(device.encode() if device else None, None if cache_folder is None else cache_folder.encode())
        library.call("cdsl_runtime_create", ctypes.byref(options), ctypes.byref(self.handle))

    def kernel(self, path, defines=(), name=None, settings=()):
        """A function of a program: `name`, or the only one. `settings`: decisions, as `--set` takes them."""
        return Kernel(self, path, defines, name, settings)

    def synchronize(self, stream=0):
        """Waits, and raises what kernels reported."""
        self.cdsl.call("cdsl_synchronize", self.handle, ctypes.c_void_p(stream))


class Module(Handle):
    destroy = "cdsl_module_destroy"


class Kernel(Handle):
    destroy = "cdsl_kernel_destroy"

    def __init__(self, runtime, path, defines, name, settings):
        super().__init__(runtime.cdsl)
        module = Module(runtime.cdsl)
        options = ModuleOptions(defines=strings(defines), define_count=len(defines), settings=strings(settings), setting_count=len(settings))
        self.cdsl.call("cdsl_module_load", runtime.handle, str(path).encode(), ctypes.byref(options), ctypes.byref(module.handle))
        self.cdsl.call("cdsl_module_kernel", module.handle, name.encode() if name else None, ctypes.byref(self.handle))

    def parameters(self):
        found = []
        for index in range(self.cdsl.functions.cdsl_kernel_parameter_count(self.handle)):
            parameter = Parameter()
            self.cdsl.call("cdsl_kernel_parameter", self.handle, ctypes.c_size_t(index), ctypes.byref(parameter))
            found.append(parameter)
        return found

    def bind(self, given, inputs, outputs):
        """Arguments of a launch: scalars and sizes by name, tensors (Dense) in the order of the parameters. Names no memory of its own: the
        caller keeps the tensors."""
        return Arguments(self, given, list(inputs), list(outputs))


class Arguments:
    def __init__(self, kernel, given, inputs, outputs):
        self.kernel, self.kept = kernel, []
        parameters = kernel.parameters()
        self.count = len(parameters)
        self.array = (Argument * self.count)()
        for place, parameter in zip(self.array, parameters):
            role = ROLES[parameter.role]
            if role == "size":
                place.scalar_type, place.scalar.i = TYPES.index("i64"), given[parameter.name.decode()]
            elif role == "scalar":
                place.scalar_type, place.scalar.f = TYPES.index("f64"), given[parameter.name.decode()]
            else:
                place.tensor = self.describe(parameter, (outputs if role == "output" else inputs).pop(0))
        if inputs or outputs:
            raise CdslError(f"{len(inputs)} inputs and {len(outputs)} outputs are more than the program has")

    def describe(self, parameter, dense):
        """Records have rank and extents of their own; the trailing axes of the tensor are their fields."""
        shape, item = dense.shape, dense.item
        is_record = TYPES[parameter.type] == "record"
        if is_record:
            for extent in shape[parameter.rank:]:
                item *= extent
            shape = shape[:parameter.rank]
        if item != parameter.element_bytes or not is_record and TYPES[parameter.type] != dense.type:
            raise CdslError(f"{parameter.name.decode()} has elements of {TYPES[parameter.type]}, {parameter.element_bytes} bytes, "
                            f"not of {dense.type}, {item} bytes")
        extents = (ctypes.c_int64 * max(len(shape), 1))(*shape)
        tensor = Tensor(dense.address, parameter.type, len(shape), extents, None, None)
        self.kept += [extents, tensor]
        return ctypes.pointer(tensor)

    def prepare(self, stream=0):
        self.kernel.cdsl.call("cdsl_kernel_prepare_for", self.kernel.handle, self.array, ctypes.c_size_t(self.count),
                                 ctypes.c_void_p(stream))

    def launch(self, stream=0):
        self.kernel.cdsl.call("cdsl_kernel_launch", self.kernel.handle, self.array, ctypes.c_size_t(self.count),
                                 ctypes.c_void_p(stream))

    def plan(self):
        """What a launch runs, as JSON text."""
        text = ctypes.c_char_p()
        self.kernel.cdsl.call("cdsl_kernel_plan", self.kernel.handle, self.array, ctypes.c_size_t(self.count), ctypes.byref(text))
        shown = text.value.decode()
        self.kernel.cdsl.functions.cdsl_string_destroy(text)
        return shown
