"""The tests' own guard works: nothing that looks for the home finds the person's."""

import os
import pwd
from pathlib import Path

from tabshell.store.locate import home


def test_the_sidecars_of_a_test_lie_in_its_own_home(own_home):
    real = Path(pwd.getpwuid(os.getuid()).pw_dir)
    assert home(os.environ) == own_home / "sidecars"
    assert Path.home() == own_home
    assert own_home != real
    assert real not in own_home.parents
