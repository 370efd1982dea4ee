"""What the tests of pipelines share: three steps whose scripts may change, and the commands."""

import json

from support import MUSTER, WAIT_SECONDS, Case

# What each of three steps does is in a file beside them, and may change between two runs.
THREE = """type: pipeline
display_name: three
experiment_name: lines
inputs:
  word: hello
jobs:
  prepare:
    command: sh $DIR/prepare.sh ${{outputs.data}} ${{inputs.word}}
    inputs:
      word: ${{parent.inputs.word}}
    outputs:
      data: {type: uri_folder}
  train:
    command: sh $DIR/train.sh ${{inputs.data}} ${{outputs.model}}
    distribution: {type: pytorch, process_count_per_instance: 2}
    resources: {instance_count: 2}
    inputs:
      data: ${{parent.jobs.prepare.outputs.data}}
    outputs:
      model: ${{parent.outputs.model}}
  evaluate:
    command: sh $DIR/evaluate.sh ${{inputs.model}}
    inputs:
      model: ${{parent.jobs.train.outputs.model}}
outputs:
  model: {type: uri_folder}
"""

SCRIPTS = {
    "prepare.sh": 'echo "$2" > "$1/word"\n',
    "train.sh": 'cat "$1/word" > "$2/rank.$RANK"; echo "rank $RANK of $WORLD_SIZE"\n',
    "evaluate.sh": 'cat "$1"/rank.* > "$DIR/result"; echo evaluated\n',
}


class PipelineCase(Case):
    def setUp(self):
        super().setUp()
        self.write("three.yml", THREE)
        for name, text in SCRIPTS.items():
            self.write(name, text)

    def told(self, command, *words, code=0, seconds=WAIT_SECONDS, **more):
        done = self.start(*words, command=(MUSTER, command), **more).finish(seconds)
        self.assertEqual(done.code, code, done)
        return done

    def submit(self, *words, file="three.yml", **more):
        return self.told("submit", file, *words, **more)

    def show(self, run="last"):
        return json.loads(self.told("show", run, "--json").text)

    def steps(self, run="last"):
        return {step["step"]: step["state"] for step in self.show(run)["steps"]}
