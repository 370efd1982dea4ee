"""Exported manifests: each seed's job in each kind, against the schemas that servers check it with.

A field that a server would silently drop fails here, as in `kubectl --validate=strict`.
"""

# rooms: kubernetes front job cli

import copy
import glob
import json
import os

from support import BAD_FILE, MUSTER, ROOT, USAGE, Case, run_tests

JOBS = os.path.join(ROOT, "examples", "jobs")
CRDS = os.path.join(ROOT, "tests", "data", "crds")
TRAIN_JOB = os.path.join(ROOT, "tests", "data", "trainer", "trainjob.json")
KINDS = {"JobSet": "jobset", "MPIJob": "mpijob", "PyTorchJob": "pytorchjob", "TFJob": "tfjob"}
SEED = {"mpijob": ["horovodrun", "mpirun", "mpirun_k8s", "mpirun_same_environment"],
        "pytorchjob": ["torch_k8s", "torch_launch"],
        "tfjob": ["tensorflow_servers", "tensorflow_workers"]}
ALL = sorted(sum(SEED.values(), []))

TARGETS = """targets:
  plain:
    kubernetes: {image: registry.example/python}
  gang:
    kubernetes: {image: registry.example/python, gang: {by: volcano, queue: q}}
  user:
    kubernetes: {image: registry.example/python, user: 1000}
  full:
    kubernetes:
      namespace: team-a
      image: registry.example/python
      muster_image: registry.example/muster:1
      code: /data/code
      node_selector: {pool: gpu}
      tolerations: [{key: nvidia.com/gpu, operator: Exists, effect: NoSchedule},
                    {key: spot, value: 'true', effect: NoExecute, tolerationSeconds: 60}]
      volumes:
      - {mount: /data, claim: data, read_only: true}
      - {name: scratch, mount: /scratch, sub_path: me, nfs: {server: nas, path: /x}}
      service_account: jobs
      priority_class: high
      queue: team-a
      security: baseline
      user: 4711
      image_pull_policy: IfNotPresent
      image_pull_secrets: [registry]
      labels: {team: a}
      annotations: {contact: 'mail: a@example'}
      resources: {launcher: {limits: {cpu: 2}}, worker: {requests: {cpu: 4}, limits: {memory: 16g}}}
      ttl: 3600
"""


def strict(schema):
    """A schema of a CRD as JSON Schema that refuses fields which a server would drop."""
    if isinstance(schema, list):
        return [strict(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: strict(value) for key, value in schema.items() if key != "properties"}
    if "properties" in schema:
        made["properties"] = {name: strict(one) for name, one in schema["properties"].items()}
    keeps = schema.get("x-kubernetes-preserve-unknown-fields") or "additionalProperties" in schema
    if schema.get("type") == "object" and "properties" in schema and not keeps:
        made["additionalProperties"] = False
    return made


def schema_of(path):
    with open(path, encoding="utf-8") as file:
        definition = json.load(file)
    (version,) = [one for one in definition["spec"]["versions"] if one["storage"]]
    schema = strict(copy.deepcopy(version["schema"]["openAPIV3Schema"]))
    schema["properties"]["metadata"] = {"type": "object"}
    api = f"{definition['spec']['group']}/{version['name']}"
    return definition["spec"]["names"]["kind"], api, schema


def schema_of_train_jobs():
    """That of Kubeflow Trainer 2.2: no field that it does not know."""
    with open(TRAIN_JOB, encoding="utf-8") as file:
        schema = strict(json.load(file))
    schema["properties"]["metadata"] = {"type": "object"}
    return schema


class Export(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        import jsonschema
        import yaml
        cls.jsonschema, cls.yaml = jsonschema, yaml
        found = [schema_of(path) for path in sorted(glob.glob(os.path.join(CRDS, "*.json")))]
        cls.schemas = {kind: (api, schema) for kind, api, schema in found}
        cls.loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

    def setUp(self):
        super().setUp()
        self.write("muster.yml", TARGETS)
        for name in ALL:
            with open(os.path.join(JOBS, name + ".yml"), encoding="utf-8") as file:
                self.write(name + ".yml", file.read())

    def export(self, name, kind, target, *more):
        return self.muster("kubernetes", self.path(name + ".yml"), "--as", kind, "--target", target,
                           *more, command=(MUSTER, "export"))

    def objects(self, name, kind, target):
        done = self.export(name, kind, target)
        self.assertEqual(done.code, 0, done)
        return list(self.yaml.load_all(done.text, self.loader))

    def check(self, made, schema):
        self.jsonschema.Draft7Validator(schema).validate(made)

    def pods(self, node):
        """The specs of all pods in an object."""
        if isinstance(node, dict):
            if "containers" in node:
                yield node
            else:
                for value in node.values():
                    yield from self.pods(value)
        if isinstance(node, list):
            for value in node:
                yield from self.pods(value)

    def test_all_schemas_are_there(self):
        self.assertEqual(sorted(self.schemas), sorted(KINDS))

    def test_custom_resources_keep_to_their_schemas(self):
        tried = 0
        for kind in KINDS.values():
            for name in SEED.get(kind, ALL):
                for target in ("plain", "full"):
                    with self.subTest(kind=kind, name=name, target=target):
                        made = self.objects(name, kind, target)[-1]
                        api, schema = self.schemas[made["kind"]]
                        self.assertEqual((KINDS[made["kind"]], made["apiVersion"]), (kind, api))
                        self.check(made, schema)
                        tried += 1
        self.assertEqual(tried, 2 * (4 + 2 + 2 + len(ALL)))

    def test_train_jobs_keep_to_the_schema_of_kubeflow_trainer(self):
        schema = schema_of_train_jobs()
        for name, more in (("torch_k8s", ()), ("torch_launch", ("--suspend",)),
                           ("mpirun", ("--runtime", "TrainingRuntime/mpi"))):
            for target in ("plain", "full", "gang"):
                with self.subTest(name=name, target=target):
                    done = self.export(name, "trainjob", target, *more)
                    self.assertEqual(done.code, 0, done)
                    (made,) = self.yaml.load_all(done.text, self.loader)
                    self.assertEqual(made["apiVersion"], "trainer.kubeflow.org/v1alpha1")
                    self.check(made, schema)
                    self.assertEqual(made["spec"].get("suspend", False), "--suspend" in more)
        made["spec"]["runtimePatches"][0]["trainingRuntimeSpec"]["tamplate"] = {}
        with self.assertRaisesRegex(self.jsonschema.ValidationError, "tamplate"):
            self.check(made, schema)

    def test_gangs_and_suspended_jobs_keep_to_their_schemas(self):
        for kind, names in SEED.items():
            done = self.export(names[0], kind, "gang", "--suspend")
            self.assertEqual(done.code, 0, done)
            (made,) = self.yaml.load_all(done.text, self.loader)
            with self.subTest(kind=kind):
                self.check(made, self.schemas[made["kind"]][1])
                policy = made["spec"]["runPolicy"]
                self.assertIs(policy["suspend"], True)
                self.assertEqual(policy["schedulingPolicy"]["queue"], "q")
                pods = list(self.pods(made))
                self.assertEqual({pod["schedulerName"] for pod in pods}, {"volcano"})

    def test_mpi_jobs_of_another_user_pass_the_restricted_standard(self):
        made = self.objects("mpirun", "mpijob", "user")
        self.check(made[-1], self.schemas["MPIJob"][1])
        for pod in self.pods(made):
            self.assertEqual(pod["securityContext"]["runAsUser"], 1000)
            (container,) = pod["containers"]
            # The one that the standard lets pods have.
            self.assertEqual(container["securityContext"]["capabilities"],
                             {"drop": ["ALL"], "add": ["NET_BIND_SERVICE"]})

    def test_a_schedule_is_a_cron_job_of_such_a_job(self):
        self.write("one.yml", "command: echo hello\nenvironment: {image: i}\n")
        self.write("daily.yml", "trigger: {type: cron, expression: 0 4 * * *, time_zone: UTC}\n"
                                "create_job: ./one.yml\n")
        done = self.muster("kubernetes", self.path("daily.yml"), command=(MUSTER, "export"))
        self.assertEqual(done.code, 0, done)
        config, made = self.yaml.load_all(done.text, self.loader)
        self.assertEqual((config["kind"], made["kind"]), ("ConfigMap", "CronJob"))
        self.assertEqual(made["spec"]["schedule"], "0 4 * * *")
        jobset = self.schemas["JobSet"][1]
        job = (jobset["properties"]["spec"]["properties"]["replicatedJobs"]["items"]["properties"]
               ["template"]["properties"]["spec"])
        self.check(made["spec"]["jobTemplate"]["spec"], job)

    def test_a_line_of_a_crontab_submits_the_job(self):
        """As cron calls it: by sh, with % restored."""
        self.write("one.yml", "command: printf '%s' \"${{inputs.word}}\"\ninputs: {word: a}\n")
        self.write("daily.yml", "name: daily\ntrigger: {type: cron, expression: 0 4 * * *}\n"
                                "create_job: {job: one.yml, inputs: "
                                "{word: \"it's 100% ${{name}}\"}}\n")
        done = self.muster("crontab", self.path("daily.yml"), command=(MUSTER, "export"))
        self.assertEqual(done.code, 0, done)
        zone, line = done.text.splitlines()[1:]
        self.assertEqual(zone, "CRON_TZ=Etc/UTC")
        self.assertTrue(line.startswith("0 4 * * * "), line)
        command = line[len("0 4 * * * "):].replace("\\%", "%")
        ran = self.muster("-c", command, command=("sh",))
        self.assertEqual(ran.code, 0, ran)
        self.assertRegex(ran.text, r"it's 100% daily-\d{8}T\d{6}Z")
        os.remove(self.path("one.yml"))
        done = self.muster("crontab", self.path("daily.yml"), command=(MUSTER, "export"))
        self.assert_refused(done, (USAGE, BAD_FILE), "one.yml")

    def test_jobs_keep_to_the_schema_of_jobs_within_a_jobset(self):
        jobset = self.schemas["JobSet"][1]
        job = (jobset["properties"]["spec"]["properties"]["replicatedJobs"]["items"]["properties"]
               ["template"]["properties"]["spec"])
        for name in ALL:
            for target in ("plain", "full"):
                made = self.objects(name, "job", target)
                self.assertEqual([one["kind"] for one in made[:3]], ["ConfigMap", "Service", "Job"])
                for one in made[2:]:
                    with self.subTest(name=name, target=target, object=one["metadata"]["name"]):
                        self.check(one["spec"], job)

    def test_a_field_that_would_be_dropped_is_found(self):
        made = self.objects("torch_k8s", "pytorchjob", "plain")[-1]
        schema = self.schemas["PyTorchJob"][1]
        self.check(made, schema)
        made["spec"]["pytorchReplicaSpecs"]["Master"]["template"]["spec"]["nodeSelektor"] = {}
        with self.assertRaisesRegex(self.jsonschema.ValidationError, "nodeSelektor"):
            self.check(made, schema)

    def test_pods_pass_the_restricted_standard(self):
        for name in ALL:
            for kind in ("job", "jobset"):
                self.assert_restricted(self.objects(name, kind, "plain"))
        for kind in ("pytorchjob", "tfjob"):
            for name in SEED[kind]:
                self.assert_restricted(self.objects(name, kind, "plain"))

    def assert_restricted(self, objects):
        pods = list(self.pods(objects))
        self.assertGreater(len(pods), 0)
        for pod in pods:
            self.assertTrue(pod["securityContext"]["runAsNonRoot"])
            self.assertEqual(pod["securityContext"]["seccompProfile"], {"type": "RuntimeDefault"})
            self.assertFalse(pod["automountServiceAccountToken"])
            for container in pod["containers"] + pod.get("initContainers", []):
                context = container["securityContext"]
                self.assertFalse(context["allowPrivilegeEscalation"])
                self.assertEqual(context["capabilities"], {"drop": ["ALL"]})
            kinds = {key for volume in pod["volumes"] for key in volume if key != "name"}
            allowed = {"configMap", "emptyDir", "secret", "persistentVolumeClaim", "projected"}
            self.assertLessEqual(kinds, allowed)

    def test_the_job_file_in_a_manifest_is_the_job(self):
        (config,) = [one for one in self.objects("torch_k8s", "job", "full")
                     if one["kind"] == "ConfigMap"]
        job = self.yaml.safe_load(config["data"]["job.yml"])
        with open(os.path.join(JOBS, "torch_k8s.yml"), encoding="utf-8") as file:
            expected = self.yaml.safe_load(file)
        expected["code"]["path"] = "/data/code"
        self.assertEqual(job, expected)

    def test_names_of_muster_yml_go_along_and_addresses_are_fetched(self):
        self.write("named.yml", "type: command\ncommand: cat ${{inputs.x}} ${{inputs.y}}\n"
                   "inputs:\n  x: {type: uri_file, path: 'azureml:foo:1'}\n"
                   "  y: {type: uri_file, path: 'https://example.org/y'}\n"
                   "distribution: {type: pytorch}\n")
        with open(self.path("muster.yml"), "a", encoding="utf-8") as file:
            file.write("data: {foo: /data/foo}\n")
        done = self.export("named", "job", "plain")
        self.assertEqual(done.code, 0, done)
        self.assertIn("data.azureml:foo:1=/data/foo", done.text)
        self.assertRegex(done.errors, r"must see these inputs at the paths .*: x\n")
        done = self.export("named", "pytorchjob", "plain")
        self.assertEqual(done.code, BAD_FILE, done)
        self.assertIn("named.yml:5:29: the input y is an address, and pods of an operator fetch "
                      "nothing: 'https://example.org/y'\n", done.errors)
        done = self.export("named", "pytorchjob", "plain", "--set", "inputs.y=/data/y")
        self.assertEqual(done.code, 0, done)
        self.assertIn("/data/foo", done.text)

    def test_json_says_the_same(self):
        told = json.loads(self.export("mpirun_k8s", "job", "full", "--json").text)
        self.assertEqual(told["kind"], "List")
        self.assertEqual(told["items"], self.objects("mpirun_k8s", "job", "full"))

    def test_files_and_errors(self):
        path = self.path("out.yml")
        done = self.export("mpirun_k8s", "mpijob", "plain", "-o", path)
        self.assertEqual((done.code, done.text), (0, ""))
        self.assertIn("the code is not part of it", done.errors)
        self.assertIn(b"kind: MPIJob", self.read("out.yml"))
        done = self.export("mpirun_k8s", "mpijob", "plain", "-o", self.path("no", "out.yml"))
        self.assertNotEqual(done.code, 0)
        self.assertIn("cannot write", done.errors)
        self.assert_refused(self.export("torch_k8s", "tfjob", "plain"), USAGE, "--as pytorchjob")
        self.write("torch_k8s.yml", "comand: x\n")
        self.assert_refused(self.export("torch_k8s", "job", "plain"), BAD_FILE, "command")

    def test_outputs_that_go_with_their_pods_are_told(self):
        self.write("torch_k8s.yml", "command: x\noutputs: {a: {path: ./a}, b: {path: /data/b}}\n")
        for kind in ("job", "jobset"):
            with self.subTest(kind):
                done = self.export("torch_k8s", kind, "plain")
                self.assertEqual(done.code, 0, done)
                told = "outputs with relative paths go with their pods: give them absolute paths " \
                       "in a volume: a"
                self.assertIn(told + "\n", done.errors)
                self.assertIn(told + "\n", done.text)

    def test_a_script_for_a_queue_says_what_validate_says(self):
        self.write("job.yml", "command: python3 -V\nenvironment: azureml:mine:1\n")
        known = self.start("job.yml", command=(MUSTER, "validate")).finish()
        done = self.start("slurm", "job.yml", command=(MUSTER, "export")).finish()
        self.assertEqual((done.code, known.code), (0, 0), done)
        self.assertIn("no image is known for the environment 'azureml:mine:1'", known.errors)
        self.assertEqual(done.errors, known.errors)
        self.write("muster.yml", "targets: {q: {slurm: {}, without: environment}}\n")
        done = self.start("slurm", "job.yml", "--target", "q", command=(MUSTER, "export")).finish()
        self.assertRegex(done.text, r"--target allocation --without environment\n$")
        os.mkdir(self.path("src"))
        self.write("job.yml", "command: python3 train.py\ncode: src\n")
        known = self.start("job.yml", command=(MUSTER, "validate")).finish()
        done = self.start("grid_engine", "job.yml", command=(MUSTER, "export")).finish()
        self.assertEqual((done.code, done.text), (BAD_FILE, ""), done)
        self.assertEqual(done.errors, known.errors)


if __name__ == "__main__":
    run_tests()
