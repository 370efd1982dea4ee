"""Sweeps: trials with values of their own, judged by what they report; the best one's outputs."""

# rooms: sweep pipeline job cli
# attacks

import functools
import json
import os
import re
import resource
import signal

from support import (BAD_FILE, MUSTER, PYTHON, ROOT, WAIT_SECONDS, Case, is_sanitized, run_tests,
                     survivors, until)

READ = 6 << 20  # bytes of reports; as numbers they take more than that
ROOM = 5 << 20  # bytes of addresses

BOWL = """type: sweep
display_name: bowl
experiment_name: bowls
trial:
  command: sh $DIR/trial.sh ${{search_space.x}} ${{inputs.centre}} ${{outputs.model}}
inputs: {centre: 3}
outputs: {model: {type: uri_folder}}
sampling_algorithm: grid
search_space:
  x: {type: choice, values: [1, 2, 3, 4, 5]}
objective: {goal: minimize, primary_metric: loss}
limits: {max_total_trials: 5, max_concurrent_trials: 2}
metrics_from: output
"""

TRIAL = """x=$1; d=$((x - $2)); echo "loss = $((d * d))"; echo "$x" > "$3/x"
"""

# As a script logs that knows nothing of muster: what MLflow would write for it.
LOGS = """import os, sys, time
from urllib.parse import urlparse
x, reports = float(sys.argv[1]), int(sys.argv[2])
if x > 5:
    reports = 1_000_000  # only others end it
folder = urlparse(os.environ["MLFLOW_TRACKING_URI"]).path + "/0/run/metrics/val"
os.makedirs(folder)
for step in range(reports):
    with open(folder + "/loss", "a") as file:
        file.write("%d %r %d\\n" % (time.time() * 1000, x, step))
    time.sleep(float(sys.argv[3]))
"""

# Terabytes of holes, or lines without end.
REPORTS_FOR_EVER = r"""import os, time
from urllib.parse import urlparse
folder = urlparse(os.environ["MLFLOW_TRACKING_URI"]).path + "/0/run/metrics/val"
os.makedirs(folder)
with open(folder + "/loss", "w") as file:
    file.truncate(4 << 40 if "$HOW" == "sparse" else 0)
    open(os.environ["DIR"] + "/$HOW", "w").close()
    while "$HOW" == "endless":
        file.write("1 1 1\n" * 10_000)
    time.sleep(600)
"""


def bytes_of(pid, name, file):
    """What /proc tells of a process."""
    with open(f"/proc/{pid}/{file}", encoding="ascii") as told:
        return int(re.search(rf"{name}:\s+(\d+)", told.read())[1])


class SweepCase(Case):
    def setUp(self):
        super().setUp()
        self.write("bowl.yml", BOWL)
        self.write("trial.sh", TRIAL)
        self.write("logs.py", LOGS)

    def told(self, command, *words, code=0, seconds=WAIT_SECONDS, **more):
        done = self.start(*words, command=(MUSTER, command), **more).finish(seconds)
        self.assertEqual(done.code, code, done)
        return done

    def submit(self, *words, file="bowl.yml", **more):
        return self.told("submit", file, *words, **more)

    def show(self, run="last"):
        return json.loads(self.told("show", run, "--json").text)

    def states(self, run="last"):
        return {step["step"]: step["state"] for step in self.show(run)["steps"]}

    def sweep(self, **keys):
        """A file like bowl.yml with other keys."""
        text = BOWL
        for key, value in keys.items():
            text = re.sub(rf"(?m)^{key}:.*\n(?: .*\n)*", "", text)
            text += f"{key}: {value}\n" if value else ""
        self.write("other.yml", text)
        return "other.yml"

    def logging(self, values, reports, pause, **keys):
        return self.sweep(
            trial=f'{{command: "python3 $DIR/logs.py ${{{{search_space.x}}}} {reports} {pause}"}}',
            inputs="", outputs="", metrics_from="",
            search_space=f"{{x: {{type: choice, values: {values}}}}}",
            objective="{goal: minimize, primary_metric: val/loss}", **keys)


class Sweeps(SweepCase):
    def test_the_best_trial_is_named_and_its_outputs_are_the_sweeps(self):
        done = self.submit()
        self.assertEqual(done.errors.splitlines()[-1],
                         "muster: the best of 5 trials is trial_2: loss 0 with x=3")
        run = self.show()
        self.assertEqual((run["state"], run["exit_code"], run["experiment"], run["cause"]),
                         ("completed", 0, "bowls", None))
        self.assertEqual(self.told("report", "last").text, done.errors.splitlines()[-1] + "\n")
        self.assertEqual(self.states(), {f"trial_{i}": "completed" for i in range(5)})
        with open(os.path.join(run["outputs"]["model"], "x"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "3\n")
        own = self.show("last/trial_4")
        self.assertEqual(own["folder"], run["folder"] + "/steps/trial_4")
        self.assertIn("loss = 4", self.told("logs", "last/trial_4").text)
        self.assertEqual({step["step"]: step["cause"] for step in run["steps"]}["trial_0"],
                         "loss 4 with x=1")

    def test_losses_that_are_not_finite_are_told_and_do_not_count(self):
        file = self.sweep(
            trial="{command: 'echo loss=${{search_space.x}}'}", inputs="", outputs="",
            search_space="{x: {type: choice, values: [-inf, nan, 1e999, '-1e999', 7]}}")
        done = self.submit(file=file)
        self.assertEqual(done.errors.splitlines()[-1],
                         "muster: the best of 5 trials is trial_4: loss 7 with x=7")
        causes = {step["step"]: step["cause"] for step in self.show()["steps"]}
        self.assertEqual([causes[f"trial_{i}"] for i in range(5)], [
            "loss -inf, which does not count, with x=-inf",
            "loss nan, which does not count, with x=nan",
            "loss inf, which does not count, with x=1e999",
            "loss -inf, which does not count, with x=-1e999", "loss 7 with x=7"])
        file = self.sweep(
            trial="{command: 'echo loss=${{search_space.x}}'}", inputs="", outputs="",
            search_space="{x: {type: choice, values: [-inf, nan]}}")
        done = self.submit(file=file, code=1)
        self.assertIn("muster: no trial completed with a value of loss that counts: it must be "
                      "finite\n", done.errors)

    def test_a_bound_that_is_not_a_number_is_told_once(self):
        file = self.sweep(search_space="{x: {type: uniform, min_value: .nan, max_value: 4}}",
                          sampling_algorithm="random")
        done = self.told("validate", file, code=BAD_FILE)
        self.assertEqual(done.errors.count("min_value"), 1, done)
        self.assertIn("search_space.x.min_value must be a number, not '.nan'", done.errors)

    def test_no_more_trials_at_once_than_it_says(self):
        # The first two wait for one another, then give a third the time to come.
        self.write("trial.sh", 'mkdir "$DIR/on.$1" "$DIR/begun.$1"; '
                               'until [ $(ls -d "$DIR"/begun.* | wc -l) -ge 2 ]; '
                               'do sleep 0.01; done; sleep 0.3; ls -d "$DIR"/on.* | wc -l '
                               '>> "$DIR/seen"; rmdir "$DIR/on.$1"; echo "loss=$1"\n')
        self.submit("--fake-nodes", "4")
        self.assertEqual(max(int(n) for n in self.read("seen").split()), 2)

    def test_mlflows_files_are_found_where_the_uri_says(self):
        done = self.submit(file=self.logging("[0.5, 0.25, 0.75]", 2, 0))
        self.assertEqual(done.errors.splitlines()[-1],
                         "muster: the best of 3 trials is trial_1: val/loss 0.25 with x=0.25")

    def test_tags_do_not_hide_the_metrics_of_lines(self):
        for words in (["--tag"], ["--tag", "--logs", self.path("logs")], []):
            done = self.submit(*words)
            self.assertEqual(done.errors.splitlines()[-1],
                             "muster: the best of 5 trials is trial_2: loss 0 with x=3")

    def test_half_a_line_is_not_joined_with_that_of_another_stream(self):
        self.write("trial.sh", 'x=$1; printf "loss="; sleep 0.2; printf "0 noise\\n" >&2; '
                               'sleep 0.2; printf "%s\\n" "$x"\n')
        done = self.submit()
        self.assertEqual(done.errors.splitlines()[-1],
                         "muster: the best of 5 trials is trial_0: loss 1 with x=1")

    def test_of_several_ranks_the_lowest_that_reports_counts(self):
        trial = ("{command: 'if [ $RANK = 0 ]; then sleep 0.2; exit; fi; "
                 "[ $RANK = 1 ] && sleep 0.5; echo loss=$((${{search_space.x}} * $RANK))', "
                 "distribution: {type: pytorch, process_count_per_instance: 4}}")
        done = self.submit(file=self.sweep(trial=trial, inputs="", outputs="",
                                           objective="{goal: maximize, primary_metric: loss}"))
        self.assertEqual(done.errors.splitlines()[-1],
                         "muster: the best of 5 trials is trial_4: loss 5 with x=5")

    def test_of_several_mlflow_runs_that_of_the_lowest_rank_counts(self):
        self.write("run.py", "import os, sys, time, mlflow\nrank = int(os.environ['RANK'])\n"
                             "time.sleep(0.1 * (3 - rank))\n"
                             "if rank: mlflow.log_metric('loss', float(sys.argv[1]) * rank)\n")
        trial = ("{command: 'python3 -m muster $DIR/run.py ${{search_space.x}}', "
                 "distribution: {type: pytorch, process_count_per_instance: 3}}")
        file = self.sweep(trial=trial, inputs="", outputs="", metrics_from="",
                          objective="{goal: maximize, primary_metric: loss}")
        package = os.path.join(ROOT, "python")
        done = self.submit(file=file, env=self.environment(PYTHONPATH=package))
        self.assertEqual(done.errors.splitlines()[-1],
                         "muster: the best of 5 trials is trial_4: loss 5 with x=5")

    def test_records_may_have_any_path(self):
        self.write("run.py",
                   "import sys, mlflow\nmlflow.log_metric('loss', float(sys.argv[1]))\n")
        file = self.sweep(trial='{command: "python3 -m muster $DIR/run.py ${{search_space.x}}"}',
                          inputs="", outputs="", metrics_from="")
        records = self.path("re#cords 50%20? é;x")
        done = self.submit(file=file, env=self.environment(
            PYTHONPATH=os.path.join(ROOT, "python"), MUSTER_RECORDS=records))
        self.assertEqual(done.errors.splitlines()[-1],
                         "muster: the best of 5 trials is trial_0: loss 1 with x=1")

    def test_a_trials_time_begins_with_its_ranks(self):
        self.write("ssh", '#!/bin/sh\nsleep 11\nwhile [ "$1" != far ]; do shift; done\nshift\n'
                          'exec sh -c "$*"\n')
        os.chmod(self.path("ssh"), 0o755)
        file = self.sweep(trial="{command: 'echo loss=${{search_space.x}}'}", inputs="",
                          outputs="", limits="{max_total_trials: 1, trial_timeout: 10}")
        done = self.submit("-H", "far", file=file,
                           env=self.environment(PATH=self.folder + ":" + os.environ["PATH"]))
        self.assertEqual(done.errors.splitlines()[-1],
                         "muster: the best of 1 trial is trial_0: loss 1 with x=1")

    def test_a_bandit_ends_what_is_far_behind(self):
        file = self.logging("[0.1, 9]", 30, 0.1, sampling_algorithm="grid",
                            early_termination="{type: bandit, slack_amount: 1, "
                                              "delay_evaluation: 2}")
        done = self.submit(file=file)
        self.assertRegex(done.errors,
                         r"muster: trial_1 stopped after .*: ended early by bandit: val/loss 9")
        self.assertEqual(self.states(), {"trial_0": "completed", "trial_1": "stopped"})
        until("all processes of the trials gone", lambda: not survivors(self.mark))

    def test_a_trial_and_a_sweep_have_their_time(self):
        file = self.logging("[2, 1]", 10_000, 0.1, limits="{max_concurrent_trials: 2, "
                                                          "trial_timeout: 1}")
        done = self.submit(file=file, code=1)
        self.assertIn("trial_0 stopped", done.errors)
        self.assertRegex(done.errors.splitlines()[-1], "no trial completed with a value of val/l")
        file = self.sweep(limits="{max_concurrent_trials: 1, timeout: 20}")
        self.write("trial.sh", TRIAL + '[ "$x" = 1 ] || exec sleep 3600\n')
        done = self.submit(file=file)
        self.assertEqual(done.errors.splitlines()[-1], "muster: the sweep's time is up; the best "
                         "of 2 trials is trial_0: loss 4 with x=1")

    def test_a_sweep_is_given_up_when_the_first_trials_all_fail(self):
        self.write("trial.sh", "exit 3\n")
        done = self.submit(code=1)
        self.assertEqual(done.errors.splitlines()[-1],
                         "muster: 3 trials failed before any completed: the others were given up")
        self.assertEqual(self.show()["state"], "failed")
        self.assertEqual(self.show()["cause"],
                         "3 trials failed before any completed: the others were given up")

    def test_one_that_is_interrupted_leaves_nothing(self):
        self.write("trial.sh", 'echo on >> "$DIR/on"; sleep 600\n')
        run = self.start("bowl.yml", command=(MUSTER, "submit"))
        until("two trials run",
              lambda: os.path.exists(self.path("on")) and self.read("on") == b"on\n" * 2)
        run.popen.send_signal(signal.SIGINT)
        self.assertEqual(run.finish().code, 130)
        self.assertEqual(self.show()["state"], "stopped")
        self.assertEqual(set(self.states().values()), {"stopped", "blocked"})

    def test_one_that_is_interrupted_while_a_trial_reports_for_ever(self):
        """Neither terabytes of holes nor lines without end keep the conductor from its signals."""
        for name in ("sparse", "endless"):
            with self.subTest(name):
                self.write("logs.py", REPORTS_FOR_EVER.replace("$HOW", name))
                file = self.logging("[1]", 1, 1, max_total_trials="")
                run = self.start(file, command=(MUSTER, "submit"))
                until("the trial writes", lambda: os.path.exists(self.path(name)))
                run.popen.send_signal(signal.SIGINT)
                self.assertEqual(run.finish().code, 130)
                self.assertEqual(self.show()["state"], "stopped")

    def test_a_trial_that_reports_for_ever_does_not_fill_the_conductor(self):
        """From some report on it gets little memory, whatever follows."""
        self.write("logs.py", REPORTS_FOR_EVER.replace("$HOW", "endless"))
        judged = "{type: median_stopping, evaluation_interval: 1, delay_evaluation: 1}"
        for how, policy in (("files", ""), ("output", ""), ("output", judged)):
            with self.subTest(how, policy=policy):
                file = self.logging("[1]", 1, 1, limits="", early_termination=policy)
                if how == "output":
                    file = self.sweep(trial='{command: "exec yes l=1"}', inputs="", outputs="",
                                      search_space="{x: {type: choice, values: [1]}}", limits="",
                                      objective="{goal: minimize, primary_metric: l}",
                                      early_termination=policy)
                run = self.start(file, command=(MUSTER, "submit"))

                def has_read(most, run=run):
                    self.assertIsNone(run.popen.poll(), "it has ended")
                    return bytes_of(run.pid, "rchar", "io") > most
                until("it reads reports", lambda: has_read(2 << 20))
                before = resource.prlimit(run.pid, resource.RLIMIT_AS)
                if not is_sanitized():
                    most = (bytes_of(run.pid, "VmPeak", "status") << 10) + ROOM
                    resource.prlimit(run.pid, resource.RLIMIT_AS, (most, before[1]))
                until("it has read many", lambda: has_read((2 << 20) + READ))
                resource.prlimit(run.pid, resource.RLIMIT_AS, before)
                run.send(signal.SIGINT)
                done = run.finish()
                self.assertEqual(done.code, 130, done)
                self.assertEqual(self.show()["state"], "stopped")

    def test_outputs_at_a_path_are_those_of_the_best_trial(self):
        for centre in ("2", "4"):
            file = self.sweep(outputs="{model: {type: uri_folder, path: ./out}}",
                              inputs=f"{{centre: {centre}}}")
            self.write("trial.sh", TRIAL
                       + 'touch "$3/only.$1"; sleep 0.2; ls "$3" > "$DIR/ls.$1"\n')
            self.submit(file=file)
            self.assertEqual(sorted(os.listdir(self.path("out"))), [f"only.{centre}", "x"])
            self.assertEqual(self.read("ls.5"), b"only.5\nx\n", "trials have folders of their own")
        self.assertEqual(self.show()["outputs"], {"model": self.path("out")})

    def test_what_the_user_has_put_at_that_path_meanwhile_is_kept(self):
        file = self.sweep(outputs="{model: {type: uri_folder, path: ./out}}")
        self.write("trial.sh", TRIAL + """echo "the user's own" > "$DIR/out"\n""")
        done = self.submit(file=file)
        kept = [name for name in os.listdir(self.folder) if name.startswith("out.before-")]
        self.assertEqual(len(kept), 1, done)
        self.assertEqual(self.read(*kept), b"the user's own\n")
        self.assertIn(f"{self.path('out')} was there before; it is now {self.path(*kept)}\n",
                      done.errors)
        self.assertEqual(os.listdir(self.path("out")), ["x"])

    def test_a_signal_while_outputs_are_kept_ends_that(self):
        """Whatever is half copied goes, and what was there before stays."""
        self.write("trial.sh", TRIAL)
        file = self.sweep(outputs="{model: {type: uri_folder, path: ./out}}",
                          limits="{max_total_trials: 1}")
        self.submit(file=file)
        self.write("trial.sh", TRIAL + 'cd "$3" && seq 1500 | xargs touch\n')
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(number):
                run = self.start(file, command=(MUSTER, "submit"))
                until("a copy is made", self.half_copies)
                with open(f"/proc/{run.popen.pid}/task/{run.popen.pid}/children",
                          encoding="ascii") as file_of_children:
                    copier = int(file_of_children.read())
                os.kill(copier, signal.SIGSTOP)  # it is never done
                run.popen.send_signal(number)
                self.assertEqual(run.finish().code, 128 + number)
                self.assertEqual(self.show()["state"], "stopped")
                until("the half copy goes", lambda: not self.half_copies())
                self.assertEqual(os.listdir(self.path("out")), ["x"])

    def half_copies(self):
        return [name for name in os.listdir(self.folder) if name.startswith(".out.")]

    def rerun(self, word="last", code=0):
        done = self.told("rerun", word, code=code)
        return done.errors

    def test_a_trial_whose_launcher_refuses_its_value_fails_alone(self):
        self.write("ranks.yml", "type: sweep\n"
                   "trial: {command: \"mpirun -np ${{search_space.n}} sh -c 'echo loss = 1'\"}\n"
                   "sampling_algorithm: grid\n"
                   "search_space: {n: {type: choice, values: [1, four]}}\n"
                   "objective: {goal: minimize, primary_metric: loss}\n"
                   "metrics_from: output\n")
        done = self.submit(file="ranks.yml")
        self.assertEqual(self.states(), {"trial_0": "completed", "trial_1": "failed"})
        self.assertRegex(done.errors, r"mpirun would not start: -np must be .*, not 'four'")

    def test_rerun_goes_on_with_what_completed(self):
        self.write("trial.sh", 'echo "$1" >> "$DIR/ran"\n' + TRIAL
                   + '[ "$x" -lt 4 ] || [ -e "$DIR/go" ] || exit 7\n')
        self.submit()
        self.assertEqual(list(self.states().values()), ["completed"] * 3 + ["failed"] * 2)
        values = [step["values"] for step in self.show()["steps"]]
        self.assertEqual(values, [{"x": str(i)} for i in range(1, 6)])
        self.write("go", "")
        os.remove(self.path("ran"))
        errors = self.rerun()
        self.assertEqual(sorted(self.read("ran").split()), [b"4", b"5"])
        self.assertEqual(list(self.states().values()), ["reused"] * 3 + ["completed"] * 2)
        self.assertEqual(errors.splitlines()[-1],
                         "muster: the best of 5 trials is trial_2: loss 0 with x=3")
        with open(os.path.join(self.show()["outputs"]["model"], "x"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "3\n")
        self.rerun()  # from a record that has none of the metrics itself
        self.assertEqual(set(self.states().values()), {"reused"})
        self.assertEqual(len(self.read("ran").split()), 2)

    def test_rerun_of_a_trial_runs_that_one(self):
        self.write("trial.sh", 'echo "$1" >> "$DIR/ran"\n' + TRIAL + '[ "$x" != 5 ] || exit 1\n')
        self.submit()
        os.remove(self.path("ran"))
        errors = self.rerun("last/trial_1")
        self.assertEqual(self.read("ran"), b"2\n")
        self.assertEqual(list(self.states().values()),
                         ["reused", "completed", "reused", "reused", "left out"])
        self.assertEqual(errors.splitlines()[-1],
                         "muster: the best of 4 trials is trial_2: loss 0 with x=3")

    def test_bayesian_goes_on_with_the_values_that_it_had(self):
        self.write("run.py", "import os, sys, mlflow\nx = float(sys.argv[1])\n"
                             "mlflow.log_metric('loss', (x - 0.25) ** 2)\n"
                             "open(os.environ['DIR'] + '/ran', 'a').write('x')\n"
                             "if x > 0.7 and not os.path.exists(os.environ['DIR'] + '/go'):\n"
                             "    sys.exit(1)\n")
        file = self.sweep(
            trial='{command: "python3 -m muster $DIR/run.py ${{search_space.x}}"}', inputs="",
            outputs="", metrics_from="", sampling_algorithm="{type: bayesian, seed: 3}",
            search_space="{x: {type: uniform, min_value: 0, max_value: 1}}",
            limits="{max_total_trials: 14, max_concurrent_trials: 1}")
        self.environment = functools.partial(self.environment,
                                             PYTHONPATH=os.path.join(ROOT, "python"))
        self.submit(file=file)
        before = self.show()["steps"]
        failed = [step["step"] for step in before if step["state"] == "failed"]
        self.assertTrue(failed)
        self.write("go", "")
        os.remove(self.path("ran"))
        self.rerun()
        after = self.show()["steps"]
        self.assertEqual([step["values"] for step in after], [step["values"] for step in before])
        self.assertEqual([step["step"] for step in after if step["state"] == "completed"], failed)
        self.assertEqual(len(self.read("ran")), len(failed))

    def test_a_step_that_is_a_sweep_goes_on(self):
        # Two at a time: one completes, its successor interrupts all while the other still runs.
        self.write("trial.sh", 'echo "$1" >> "$DIR/ran"\n' + TRIAL
                   + '[ "$x" != 3 ] || kill -INT $(cat "$DIR/pid")\n'
                   '[ "$x" = 2 ] || exec sleep 3600\n')
        sweep = "".join("    " + line + "\n" for line in BOWL.splitlines()
                        if not line.startswith(("display", "experiment")))
        self.write("p.yml", "type: pipeline\njobs:\n  tune:\n" + sweep
                   + "  use:\n    command: test -e $DIR/go\n"
                   "    inputs: {m: '${{parent.jobs.tune.outputs.model}}'}\n")
        run = self.start("p.yml", command=("sh", "-c", 'echo $$ > "$DIR/pid"; exec "$@"', "-",
                                           MUSTER, "submit"))
        self.assertEqual(run.finish().code, 130)
        self.assertEqual(self.states("last/tune"),
                         {"trial_0": "stopped", "trial_1": "completed", "trial_2": "stopped",
                          "trial_3": "blocked", "trial_4": "blocked"})
        self.write("go", "")
        self.write("trial.sh", 'echo "$1" >> "$DIR/ran"\n' + TRIAL)
        os.remove(self.path("ran"))
        self.rerun()
        self.assertEqual(sorted(self.read("ran").split()), [b"1", b"3", b"4", b"5"])

    def test_as_a_step_its_best_outputs_go_on(self):
        sweep = "".join("    " + line + "\n" for line in BOWL.splitlines()
                        if not line.startswith(("display", "experiment")))
        self.write("p.yml", "type: pipeline\njobs:\n  tune:\n" + sweep + "  use:\n"
                   '    command: cp ${{inputs.m}}/x "$DIR/best"\n'
                   "    inputs: {m: '${{parent.jobs.tune.outputs.model}}'}\n")
        done = self.submit(file="p.yml")
        self.assertEqual(self.read("best"), b"3\n")
        self.assertIn("tune: muster: the best of 5 trials is trial_2: loss 0 with x=3", done.errors)
        self.assertEqual(self.states(), {"tune": "completed", "use": "completed"})
        self.assertEqual(self.show("last/tune")["steps"][0]["step"], "trial_0")

    def test_metrics_logged_with_azure_mls_names(self):
        self.write("run.py", "import sys\nfrom azureml.core import Run\n"
                             "Run.get_context().log('loss', float(sys.argv[1]))\n")
        file = self.sweep(trial='{command: "python3 -m muster $DIR/run.py ${{search_space.x}}"}',
                          inputs="", outputs="", metrics_from="")
        package = os.path.join(ROOT, "python")
        done = self.submit(file=file, env=self.environment(PYTHONPATH=package))
        self.assertEqual(done.errors.splitlines()[-1],
                         "muster: the best of 5 trials is trial_0: loss 1 with x=1")


class Tracking(Case):
    """The names of MLflow and Azure ML where neither is installed."""

    def logged(self, script, **more):
        self.write("run.py", script)
        environment = self.environment(PYTHONPATH=os.path.join(ROOT, "python"), **more)
        done = self.start("-m", "muster", self.path("run.py"), command=(PYTHON,),
                          env=environment).finish()
        self.assertEqual(done.code, 0, done)
        return done

    def test_files_are_those_of_mlflows_store(self):
        self.logged("import mlflow\nfrom azureml.core import Run\nrun = Run.get_context()\n"
                    "run.log('val/loss', 0.5)\nrun.log('val/loss', 0.25)\n"
                    "with mlflow.start_run():\n"
                    "    mlflow.log_metrics({'a b': float('nan')}, step=7)\n"
                    "    mlflow.log_param('lr', 0.1)\n",
                    MLFLOW_TRACKING_URI="file://" + self.path("ml%20runs"))
        runs = self.path("ml runs/0")
        self.assertEqual(len(os.listdir(runs)), 2, "one run, and the experiment's meta.yaml")
        run = next(one for one in os.listdir(runs) if one != "meta.yaml")
        lines = self.read(f"ml runs/0/{run}/metrics/val/loss").decode().splitlines()
        self.assertEqual([line.split()[1:] for line in lines], [["0.5", "0"], ["0.25", "1"]])
        self.assertGreater(int(lines[0].split()[0]), 1_700_000_000_000, "in milliseconds")
        self.assertRegex(self.read(f"ml runs/0/{run}/metrics/a b"), rb"^\d+ nan 7\n$")
        self.assertEqual(self.read(f"ml runs/0/{run}/params/lr"), b"0.1")
        meta = self.read(f"ml runs/0/{run}/meta.yaml").decode()
        self.assertIn(f"\nrun_id: {run}\n", meta)
        self.assertIn("\nlifecycle_stage: active\n", meta)

    def test_without_a_folder_metrics_are_printed(self):
        done = self.logged("from azureml.core.run import Run\nRun.get_context().log('acc', 1)\n")
        self.assertEqual(done.text, "Attempted to log scalar metric acc:\n1.0\n")

    def test_no_name_leads_out_of_the_run(self):
        done = self.logged("import mlflow\nfrom muster import MusterError\n"
                           "names = '../x', '/x', 'a//b', 'a=b', '', 'a\\n', 'a\\x1b', 'a/', 7\n"
                           "for name in names:\n"
                           "    try:\n        mlflow.log_metric(name, 1)\n"
                           "    except MusterError as error:\n        print('refused')\n",
                           MLFLOW_TRACKING_URI=self.path("mlruns"))
        self.assertEqual(done.text, "refused\n" * 9)

    def test_what_cannot_be_written_is_told(self):
        done = self.logged("import mlflow\nfrom muster import MusterError\n"
                           "mlflow.log_metric('a', 1)\nmlflow.log_metric('größe', 1)\n"
                           "try:\n    mlflow.log_metric('a/b', 1)\n"
                           "except MusterError as error:\n    print(error)\n",
                           MLFLOW_TRACKING_URI=self.path("mlruns"))
        self.assertRegex(done.text, "cannot write to .*/metrics/a/b: ")

    def test_a_runs_name_is_no_path(self):
        done = self.logged("import mlflow\nfrom muster import MusterError\n"
                           "try:\n    mlflow.log_metric('a', 1)\n"
                           "except MusterError as error:\n    print(error)\n",
                           MLFLOW_TRACKING_URI=self.path("mlruns"), MLFLOW_RUN_ID="../../x")
        self.assertIn("MLFLOW_RUN_ID is '../../x', which is not the name of a run", done.text)


class Looks(SweepCase):
    def test_explain_shows_the_space_and_the_first_trials(self):
        text = self.told("explain", "bowl.yml").text
        self.assertEqual(text, "5 trials, 2 at once, grid, to minimize loss\nsearch space:\n"
                               "  x: choice of 1, 2, 3, 4, 5\nfirst trials:\n"
                               + "".join(f"  trial_{i}: x={i + 1}\n" for i in range(5)))
        self.assertNotIn("bowl", self.told("ps").text)

    def test_validate_tells_trials_and_errors(self):
        self.assertEqual(self.told("validate", "bowl.yml").text,
                         "bowl.yml: a sweep, nothing wrong; it has 5 trials\n")
        self.assert_refused(self.told("validate", self.sweep(objective="{goal: up}"),
                                      code=BAD_FILE), BAD_FILE, "primary_metric is missing")


if __name__ == "__main__":
    run_tests()
