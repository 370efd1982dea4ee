"""What waiting for a run tells, as in Azure ML's SDKs: it completed, failed or was cancelled."""

# rooms: front job cli

from support import run_tests
from v1_case import V1, V1Case

PIPELINE = """
from azureml.pipeline.core import Pipeline
from azureml.pipeline.steps import PythonScriptStep
def steps(script):
    return Pipeline(ws, [PythonScriptStep(script, "one", source_directory="src",
                                          compute_target="gpu-cluster")])
"""
V2 = """
from azure.ai.ml import MLClient, command
from azure.ai.ml.exceptions import JobException
from azure.identity import DefaultAzureCredential
client = MLClient(DefaultAzureCredential(), "", "", "")
def submit(words):
    return client.jobs.create_or_update(command(command=words, compute="gpu-cluster"))
"""


class Waits(V1Case):
    def setUp(self):
        super().setUp()
        self.write("src/ends.py", "print('ends')\n")
        self.write("src/fails.py", "raise RuntimeError('no such thing')\n")
        self.write("src/waits.py", f"import time\ntime.sleep(600)  # {self.mark}\n")

    def test_a_run_of_sdk_v1(self):
        done = self.runs(V1 + """
from azureml.exceptions import ActivityFailedException
def submit(script):
    return experiment.submit(ScriptRunConfig("src", script, compute_target="gpu-cluster"))
print("*", submit("ends.py").wait_for_completion()["status"])
for shows in True, False:
    stopped = submit("waits.py")
    stopped.cancel()
    print("*", stopped.wait_for_completion(show_output=shows)["status"])
stopped.wait_for_completion(raise_on_error=False)
try:
    submit("fails.py").wait_for_completion()
except ActivityFailedException as failed:
    print("*", "no such thing" in str(failed))
print("*", submit("fails.py").wait_for_completion(raise_on_error=False)["status"])
""")
        self.assertEqual([line[2:] for line in done.stdout.splitlines() if line[:1] == "*"],
                         ["Completed", "Canceled", "Canceled", "True", "Failed"])
        self.assertEqual(done.stderr.count(" was cancelled\n"), 2, done.stderr)
        self.assertEqual(done.stderr.count(" stopped with exit code "), 1, done.stderr)

    def test_a_pipeline_and_its_step(self):
        done = self.runs(V1 + PIPELINE + """
from azureml.exceptions import ActivityFailedException
run = experiment.submit(steps("ends.py"))
print("*", run.wait_for_completion(), run.find_step_run("one")[0].wait_for_completion(False))
run = experiment.submit(steps("waits.py"))
run.cancel()
print("*", run.wait_for_completion(show_output=True))
run = experiment.submit(steps("fails.py"))
print("*", run.wait_for_completion(raise_on_error=False))
try:
    run.wait_for_completion()
except ActivityFailedException as failed:
    print("*", "no such thing" in str(failed))
""")
        self.assertEqual([line[2:] for line in done.stdout.splitlines() if line[:1] == "*"],
                         ["Completed Completed", "Canceled", "Failed", "True"])

    def test_a_job_of_sdk_v2(self):
        done = self.runs(V2 + f"""
client.jobs.stream(submit("true").name)
job = submit("sleep 600 # {self.mark}")
client.jobs.begin_cancel(job.name).result()
client.jobs.stream(job.name)
print("*", client.jobs.get(job.name).status)
try:
    client.jobs.stream(submit("exit 3").name)
except JobException as failed:
    print("*", failed)
""")
        told = [line[2:] for line in done.stdout.splitlines() if line[:1] == "*"]
        self.assertEqual(told[0], "Canceled")
        self.assertRegex(told[1], r"run \S+ failed: ")


if __name__ == "__main__":
    run_tests()
