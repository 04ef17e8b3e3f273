"""`logging`: loggers, handlers and formatters as Python has them, in the language of scripts.

What goes to the error stream is told beside the output, and what goes to a file is kept as what `open` writes is.
"""

from __future__ import annotations

from typing import Any

from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.names.library import written
from gradviz.imitation.script.names.library.making import natives
from gradviz.imitation.script.values import Namespace

JOURNAL = """
CRITICAL = FATAL = 50
ERROR = 40
WARNING = WARN = 30
INFO = 20
DEBUG = 10
NOTSET = 0
BASIC_FORMAT = "%(levelname)s:%(name)s:%(message)s"
raiseExceptions = True
_names = {50: "CRITICAL", 40: "ERROR", 30: "WARNING", 20: "INFO", 10: "DEBUG", 0: "NOTSET"}
_levels = {"CRITICAL": 50, "FATAL": 50, "ERROR": 40, "WARN": 30, "WARNING": 30, "INFO": 20, "DEBUG": 10, "NOTSET": 0}
_start = time.time()
_now = {"limit": 0}

def getLevelName(level):
    if level in _names:
        return _names[level]
    return _levels.get(level, "Level %s" % level)
def getLevelNamesMapping(): return dict(_levels)
def addLevelName(level, levelName):
    _names[level] = levelName
    _levels[levelName] = level
def _checked(level):
    if isinstance(level, int):
        return level
    if str(level) == level:
        if level not in _levels:
            raise ValueError("Unknown level: %r" % (level,))
        return _levels[level]
    raise TypeError("Level not an integer or a valid string: %r" % (level,))

class LogRecord:
    def __init__(self, name, level, pathname, lineno, msg, args, exc_info, func=None, sinfo=None):
        if args and len(args) == 1 and isinstance(args[0], dict) and args[0]:
            args = args[0]
        self.name, self.msg, self.args = name, msg, args
        self.levelname, self.levelno = getLevelName(level), level
        self.pathname = pathname
        self.filename = pathname.rpartition("/")[2]
        self.module = self.filename.partition(".")[0]
        self.exc_info, self.exc_text, self.stack_info = exc_info, None, sinfo
        self.lineno, self.funcName = lineno, func
        self.created = time.time()
        self.msecs = int((self.created - int(self.created)) * 1000) + 0.0
        self.relativeCreated = (self.created - _start) * 1000
        self.thread, self.threadName, self.processName, self.process = 1, "MainThread", "MainProcess", 1
    def __repr__(self):
        return '<LogRecord: %s, %s, %s, %s, "%s">' % (
            self.name, self.levelno, self.pathname, self.lineno, self.msg)
    def getMessage(self):
        msg = str(self.msg)
        return msg % self.args if self.args else msg

class Formatter:
    default_time_format = "%Y-%m-%d %H:%M:%S"
    default_msec_format = "%s,%03d"
    def __init__(self, fmt=None, datefmt=None, style="%", validate=True, *, defaults=None):
        if style not in ("%", "{", "$"):
            raise ValueError("Style must be one of: %s" % "%,{,$")
        plain = {"%": "%(message)s", "{": "{message}", "$": "${message}"}
        self._fmt = fmt or plain[style]
        self._kind, self._defaults = style, defaults or {}
        self.datefmt = datefmt
    def formatTime(self, record, datefmt=None):
        if datefmt:
            return time.strftime(datefmt)
        return self.default_msec_format % (time.strftime(self.default_time_format), record.msecs)
    def formatException(self, exc_info): return _trace(exc_info[1]).rstrip("\\n")
    def formatStack(self, stack_info): return stack_info
    def usesTime(self): return "asctime" in self._fmt
    def formatMessage(self, record):
        values = {**self._defaults, **record.__dict__}
        try:
            if self._kind == "%":
                return self._fmt % values
            if self._kind == "{":
                return self._fmt.format(**values)
            return string.Template(self._fmt).substitute(values)
        except KeyError as e:
            raise ValueError("Formatting field not found in record: %s" % e)
    def format(self, record):
        record.message = record.getMessage()
        if self.usesTime():
            record.asctime = self.formatTime(record, self.datefmt)
        text = self.formatMessage(record)
        if record.exc_info and not record.exc_text:
            record.exc_text = self.formatException(record.exc_info)
        for more in (record.exc_text, record.stack_info):
            if more:
                text = (text if text.endswith("\\n") else text + "\\n") + more
        return text

class Filter:
    def __init__(self, name=""): self.name = name
    def filter(self, record):
        return not self.name or record.name == self.name or record.name.startswith(self.name + ".")

class Filterer:
    def addFilter(self, filter):
        if filter not in self.filters:
            self.filters.append(filter)
    def removeFilter(self, filter):
        if filter in self.filters:
            self.filters.remove(filter)
    def filter(self, record):
        for each in self.filters:
            if not (each.filter(record) if hasattr(each, "filter") else each(record)):
                return False
        return True

class Handler(Filterer):
    def __init__(self, level=NOTSET):
        self.filters, self.formatter, self.name = [], None, None
        self.level = _checked(level)
    def get_name(self): return self.name
    def set_name(self, name): self.name = name
    def setLevel(self, level): self.level = _checked(level)
    def setFormatter(self, fmt): self.formatter = fmt
    def format(self, record): return (self.formatter or _plain).format(record)
    def emit(self, record): raise NotImplementedError("emit must be implemented by Handler subclasses")
    def handle(self, record):
        passed = self.filter(record)
        if passed:
            self.emit(record)
        return passed
    def handleError(self, record):
        sys.stderr.write("--- Logging error ---\\n" + traceback.format_exc())
        sys.stderr.write("Message: %r\\nArguments: %s\\n" % (record.msg, record.args))
    def acquire(self): pass
    def release(self): pass
    def flush(self): pass
    def close(self): pass
    def __repr__(self): return "<%s (%s)>" % (type(self).__name__, getLevelName(self.level))

class StreamHandler(Handler):
    terminator = "\\n"
    def __init__(self, stream=None):
        Handler.__init__(self)
        self.stream = sys.stderr if stream is None else stream
    def setStream(self, stream):
        before, self.stream = self.stream, stream
        return before
    def flush(self):
        if hasattr(self.stream, "flush"):
            self.stream.flush()
    def emit(self, record):
        try:
            self.stream.write(self.format(record) + self.terminator)
            self.flush()
        except RecursionError:
            raise
        except Exception:
            self.handleError(record)
    def __repr__(self):
        name = getattr(self.stream, "name", "")
        return "<%s %s(%s)>" % (type(self).__name__, str(name) + " " if name else "", getLevelName(self.level))

class FileHandler(StreamHandler):
    def __init__(self, filename, mode="a", encoding=None, delay=False, errors=None):
        Handler.__init__(self)
        self.baseFilename, self.mode, self.encoding, self.errors = os.path.abspath(filename), mode, encoding, errors
        self.stream = None if delay else self._open()
    def _open(self): return open(self.baseFilename, self.mode, encoding=self.encoding, errors=self.errors)
    def emit(self, record):
        if self.stream is None:
            self.stream = self._open()
        StreamHandler.emit(self, record)
    def close(self):
        if self.stream is not None:
            self.stream.close()
            self.stream = None
    def __repr__(self):
        return "<%s %s (%s)>" % (type(self).__name__, self.baseFilename, getLevelName(self.level))

class NullHandler(Handler):
    def handle(self, record): pass
    def emit(self, record): pass

class Logger(Filterer):
    def __init__(self, name, level=NOTSET):
        self.filters, self.handlers = [], []
        self.name, self.level = name, _checked(level)
        self.parent, self.propagate, self.disabled = None, True, False
    def __repr__(self): return "<%s %s (%s)>" % (type(self).__name__, self.name, getLevelName(self.getEffectiveLevel()))
    def setLevel(self, level): self.level = _checked(level)
    def getEffectiveLevel(self):
        asked = self
        while asked is not None and not asked.level:
            asked = asked.parent
        return NOTSET if asked is None else asked.level
    def isEnabledFor(self, level):
        return not self.disabled and level > _now["limit"] and level >= self.getEffectiveLevel()
    def getChild(self, suffix): return getLogger(suffix if self is root else self.name + "." + suffix)
    def addHandler(self, hdlr):
        if hdlr not in self.handlers:
            self.handlers.append(hdlr)
    def removeHandler(self, hdlr):
        if hdlr in self.handlers:
            self.handlers.remove(hdlr)
    def _upwards(self):
        logger = self
        while logger:
            yield logger
            logger = logger.parent if logger.propagate else None
    def hasHandlers(self): return any(logger.handlers for logger in self._upwards())
    def makeRecord(self, name, level, fn, lno, msg, args, exc_info, func=None, extra=None, sinfo=None):
        record = LogRecord(name, level, fn, lno, msg, args, exc_info, func, sinfo)
        given, own = extra or {}, {"message", "asctime", *record.__dict__}
        for key in given:
            if key in own:
                raise KeyError("Attempt to overwrite %r in LogRecord" % key)
        record.__dict__.update(given)
        return record
    def _log(self, level, msg, args, exc_info=None, extra=None, stack_info=False, stacklevel=1, calls=2):
        if not self.isEnabledFor(level):
            return
        if isinstance(exc_info, BaseException):
            exc_info = (type(exc_info), exc_info, exc_info.__traceback__)
        elif exc_info and not isinstance(exc_info, tuple):
            exc_info = sys.exc_info()
        file, line, function = _where(calls)
        self.handle(self.makeRecord(self.name, level, file, line, msg, args, exc_info, function, extra))
    def handle(self, record):
        if not self.disabled and self.filter(record):
            self.callHandlers(record)
    def callHandlers(self, record):
        hearing = [handler for logger in self._upwards() for handler in logger.handlers] or [lastResort]
        for handler in hearing:
            if handler.level <= record.levelno:
                handler.handle(record)
    def debug(self, msg, *args, **kwargs): self._log(DEBUG, msg, args, **kwargs)
    def info(self, msg, *args, **kwargs): self._log(INFO, msg, args, **kwargs)
    def warning(self, msg, *args, **kwargs): self._log(WARNING, msg, args, **kwargs)
    def warn(self, msg, *args, **kwargs):
        warnings.warn("The 'warn' method is deprecated, use 'warning' instead", DeprecationWarning, 2)
        self._log(WARNING, msg, args, **kwargs)
    def error(self, msg, *args, **kwargs): self._log(ERROR, msg, args, **kwargs)
    def exception(self, msg, *args, exc_info=True, **kwargs): self._log(ERROR, msg, args, exc_info, **kwargs)
    def critical(self, msg, *args, **kwargs): self._log(CRITICAL, msg, args, **kwargs)
    fatal = critical
    def log(self, level, msg, *args, **kwargs):
        if not isinstance(level, int):
            raise TypeError("level must be an integer")
        self._log(level, msg, args, **kwargs)

class RootLogger(Logger): pass

class LoggerAdapter:
    def __init__(self, logger, extra=None): self.logger, self.extra = logger, extra
    def process(self, msg, kwargs):
        kwargs["extra"] = self.extra
        return msg, kwargs
    def log(self, level, msg, *args, **kwargs): self._log(level, msg, args, kwargs)
    def _log(self, level, msg, args, kwargs):
        if self.isEnabledFor(level):
            msg, kwargs = self.process(msg, kwargs)
            self.logger._log(level, msg, args, calls=3, **kwargs)
    def debug(self, msg, *args, **kwargs): self._log(DEBUG, msg, args, kwargs)
    def info(self, msg, *args, **kwargs): self._log(INFO, msg, args, kwargs)
    def warning(self, msg, *args, **kwargs): self._log(WARNING, msg, args, kwargs)
    def error(self, msg, *args, **kwargs): self._log(ERROR, msg, args, kwargs)
    def exception(self, msg, *args, **kwargs): self._log(ERROR, msg, args, {"exc_info": True, **kwargs})
    def critical(self, msg, *args, **kwargs): self._log(CRITICAL, msg, args, kwargs)
    def setLevel(self, level): self.logger.setLevel(level)
    def isEnabledFor(self, level): return self.logger.isEnabledFor(level)
    def getEffectiveLevel(self): return self.logger.getEffectiveLevel()
    @property
    def name(self): return self.logger.name

class _LastResort(StreamHandler):
    def __init__(self, level): Handler.__init__(self, level)
    @property
    def stream(self): return sys.stderr

_plain = Formatter()
lastResort = _LastResort(WARNING)
root = RootLogger("root", WARNING)
_known = {}
def getLogger(name=None):
    if not name or (isinstance(name, str) and name == root.name):
        return root
    if not isinstance(name, str):
        raise TypeError("A logger name must be a string")
    if name not in _known:
        made = _known[name] = _now["kind"](name)
        for other in _known.values():
            _place(other)
    return _known[name]
def _place(logger):
    around = logger.name.rpartition(".")[0]
    while around and around not in _known:
        around = around.rpartition(".")[0]
    logger.parent = _known[around] if around else root
_now["kind"] = Logger
def getLoggerClass(): return _now["kind"]
def setLoggerClass(kind): _now["kind"] = kind
def disable(level=CRITICAL): _now["limit"] = _checked(level)
def basicConfig(*, filename=None, filemode="a", format=None, datefmt=None, style="%", level=None, stream=None,
                handlers=None, force=False, encoding=None, errors=None):
    if force:
        root.handlers.clear()
    if not root.handlers:
        if handlers is None:
            to_file = filename is not None
            handlers = [FileHandler(filename, filemode, encoding, errors=errors) if to_file else StreamHandler(stream)]
        elif stream is not None or filename is not None:
            raise ValueError("'stream' or 'filename' should not be specified together with 'handlers'")
        basic = {"%": BASIC_FORMAT, "{": "{levelname}:{name}:{message}", "$": "${levelname}:${name}:${message}"}
        formatter = Formatter(format or basic[style], datefmt, style)
        for handler in handlers:
            if handler.formatter is None:
                handler.setFormatter(formatter)
            root.addHandler(handler)
        if level is not None:
            root.setLevel(level)
def _ready():
    if not root.handlers:
        basicConfig()
    return root
def debug(msg, *args, **kwargs): _ready()._log(DEBUG, msg, args, **kwargs)
def info(msg, *args, **kwargs): _ready()._log(INFO, msg, args, **kwargs)
def warning(msg, *args, **kwargs): _ready()._log(WARNING, msg, args, **kwargs)
def warn(msg, *args, **kwargs):
    warnings.warn("The 'warn' function is deprecated, use 'warning' instead", DeprecationWarning, 2)
    _ready()._log(WARNING, msg, args, **kwargs)
def error(msg, *args, **kwargs): _ready()._log(ERROR, msg, args, **kwargs)
def exception(msg, *args, exc_info=True, **kwargs): _ready()._log(ERROR, msg, args, exc_info, **kwargs)
def critical(msg, *args, **kwargs): _ready()._log(CRITICAL, msg, args, **kwargs)
fatal = critical
def log(level, msg, *args, **kwargs): _ready()._log(level, msg, args, **kwargs)
def captureWarnings(capture): pass
def shutdown(): pass
"""

USED = ("os", "string", "sys", "time", "traceback", "warnings")


def module(machine: Machine) -> Namespace:
    """The names."""

    def where(calls: int) -> tuple[str, int, str]:
        """File, line and function of what called, so many calls of ours further out."""
        level = machine.level
        while level.outer is not None and (calls > 0 or level.number >= 0):
            calls -= level.number < 0
            level = level.outer
        return machine.state["source"].name, machine.line, level.name.rpartition(".")[2] or "<module>"

    def trace(error: Any) -> str:
        format_exception = machine.modules["traceback"].members["format_exception"]
        return "".join(machine.call(format_exception, (error,), {}))

    ours = natives({"_where": where, "_trace": trace})
    used = {name: machine.modules[name] for name in USED}
    made = written.run_text(machine, JOURNAL, {**used, **ours}, "logging")
    shown = {name: value for name, value in made.items() if name[:1] != "_"}
    return Namespace("logging", shown)
