"""The built-in backend: a script is rewritten, gated and run with the small engine as its torch."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from gradviz.engine.gradients import grad
from gradviz.engine.nn.module import Module
from gradviz.engine.nn.parameter import Parameter
from gradviz.engine.random import default_generator
from gradviz.engine.state import state
from gradviz.engine.sweep import Sweep as Pass
from gradviz.engine.tensor import Tensor, constant
from gradviz.errors import GradvizError
from gradviz.recording import Array, Source, Sweep
from gradviz.run.execute import execute
from gradviz.run.job import Emit, Job, Outcome
from gradviz.run.levels import Trace
from gradviz.run.recorder import Recorder, freeze_pass
