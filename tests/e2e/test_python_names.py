"""Names of jobs, steps and schedules in Python: what is written is what is found and read back."""

# rooms: front job cli

import json
import subprocess

from python_case import PythonCase
from support import MUSTER, WAIT_SECONDS, run_tests
from v1_case import V1, V1Case

CLIENT = """
from azure.ai.ml import MLClient, command, dsl, load_job
from azure.ai.ml.entities import (CronTrigger, JobSchedule, RecurrencePattern,
                                  RecurrenceTrigger)
from azure.core.exceptions import ResourceNotFoundError
from azure.identity import DefaultAzureCredential
client = MLClient(DefaultAzureCredential(), "one", "two", "three")
def names(job):
    found = client.jobs.get(job.name)
    client.jobs.stream(job.name)
    return found.display_name
"""

BOTH = "type: command\ncommand: echo\nname: nn\ndisplay_name: long job\n"

OF_JOBS = CLIENT + """
made = client.jobs.create_or_update(command(command="true", name="nm3", display_name="d"))
assert client.jobs.get("nm3").name == client.jobs.get("d").name == made.name
print(names(made), names(client.jobs.create_or_update(load_job("both.yml"))),
      names(client.jobs.create_or_update(command(command="true", name="alone"))),
      names(client.jobs.create_or_update(command(command="true", display_name="shown"))))
print(client.jobs.get("nn").display_name, client.jobs.get("long job").display_name)
changed = command(command="true")
changed.name, changed.display_name = "later", "Later"
print(names(client.jobs.create_or_update(changed)), client.jobs.get("later").display_name)
@dsl.pipeline(display_name="Lines")
def lines():
    command(command="true")()
piped = lines()
piped.name = "piped"
print(names(client.jobs.create_or_update(piped)), client.jobs.get("piped").display_name)
swept = command(command="echo ${{inputs.n}}", inputs={"n": 1})
from azure.ai.ml.sweep import Choice
swept = swept(n=Choice([1])).sweep(primary_metric="m", goal="minimize", max_total_trials=1)
swept.name, swept.display_name, swept.metrics_from = "swept", "Swept", "output"
print(client.jobs.create_or_update(swept).display_name, client.jobs.get("swept").display_name)
again = client.jobs.create_or_update(command(command="true", name="nm3"))
client.jobs.stream(again.name)
try:
    client.jobs.get("nm3")
except ResourceNotFoundError as error:
    print(error)
"""

OF_SCHEDULES = CLIENT + """
job = command(command="echo ${{inputs.n}}", name="nn", display_name="long", inputs={"n": 3})
@dsl.pipeline()
def lines():
    train = command(command="true")()
keep = client.schedules.begin_create_or_update
keep(JobSchedule(name="s", trigger=CronTrigger(expression="0 3 * * *"), create_job=job)).result()
found = client.schedules.get("s")
print(found.trigger.expression, found.trigger.time_zone, found.create_job.command,
      found.create_job.inputs.n, found.create_job.name, found.create_job.display_name)
try:
    found.create_job.comand
except AttributeError as error:
    print(str(error).split(": ", 1)[1].splitlines()[1].split("?")[0].strip())
keep(JobSchedule(name="r", create_job=lines(), trigger=RecurrenceTrigger(
    frequency="day", interval=2, schedule=RecurrencePattern(hours=10, minutes=[0, 30]))))
found = client.schedules.begin_disable("r").result()
print(found.trigger.frequency, found.trigger.interval, found.trigger.schedule.minutes,
      found.create_job.type, list(found.create_job.jobs), found.create_job.jobs.train.command)
keep(JobSchedule(name="f", create_job=load_job("both.yml"), trigger=found.trigger)).result()
print([(one.name, one.trigger.schedule.hours) for one in client.schedules.list()
       if one.name != "s"], client.schedules.get("f").create_job.name)
kept = client.schedules.get("s").create_job
kept.command = "echo again"
done = client.jobs.create_or_update(kept)
client.jobs.stream(done.name)
keep(JobSchedule(name="again", create_job=kept, trigger=found.trigger))
print(done.display_name, client.schedules.get("again").create_job.command)
"""

STEPS = V1 + """
from azureml.pipeline.core import Pipeline
from azureml.pipeline.steps import PythonScriptStep
def steps():
    return [PythonScriptStep("train.py", name=name, source_directory="src",
                             compute_target="gpu-cluster") for name in ("one", "and another")]
run = experiment.submit(Pipeline(ws, steps(), description="Trains twice.\\nAnd more."))
run.wait_for_completion(show_output=False)
for step in run.get_steps():
    print(step.name, step.id == f"{run.id}/{step.name.replace(' ', '_')}", step.get_status())
print([one.name for one in run.find_step_run("and another")])
unnamed = experiment.submit(Pipeline(ws, steps()))
unnamed.wait_for_completion(show_output=False)
"""


class Names(PythonCase):
    def setUp(self):
        super().setUp()
        self.write("both.yml", BOTH)

    def test_a_name_finds_what_a_display_name_shows(self):
        lines = list(filter(None, self.runs(OF_JOBS).stdout.splitlines()))
        self.assertEqual(lines[0], "d long job alone shown")
        self.assertEqual(lines[1:5], [
            "long job long job", "Later Later", "Lines Lines", "Swept Swept"])
        self.assertRegex(lines[5], "2 runs are called nm3, the last is ")

    def test_a_schedule_is_read_back_as_it_was_written(self):
        self.assertEqual(self.runs(OF_SCHEDULES).stdout.splitlines(), [
            "0 3 * * * UTC echo ${{inputs.n}} 3 nn long",
            "hint: did you mean command",
            "day 2 [0, 30] pipeline ['train'] true",
            "[('f', 10), ('r', 10)] nn", "again", "long echo again"])


class StepNames(V1Case):
    def test_steps_have_the_names_that_the_program_gives(self):
        self.write("src/train.py", "")
        done = self.runs(STEPS)
        self.assertEqual(done.stdout.splitlines(), [
            "one True Completed",
            "and another True Completed", "['and another']"])
        told = subprocess.run([MUSTER, "ps", "--json"], env=self.for_python(), check=True,
                              capture_output=True, text=True, timeout=WAIT_SECONDS)
        self.assertEqual([run["name"] for run in json.loads(told.stdout)],
                         ["Trains twice.", "notebook"])


if __name__ == "__main__":
    run_tests()
