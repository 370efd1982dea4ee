// mpirun's options about output, input and what is shown.
#pragma once

#include <array>

#include "front/mpirun/draft.hpp"
#include "front/mpirun/output.hpp"
#include "front/table.hpp"
#include "option/values.hpp"

namespace muster::front::mpirun {

inline constexpr std::string_view kOutput = "Output and input";
inline constexpr std::string_view kShow = "Information";

inline constexpr std::array<Option<MpirunDraft>, 18> kOutputRows = {{
    {{"--output-filename", kOutput, Takes::folder, "DIR[:HOW]",
      "Also write each rank's output to DIR/1/rank.N/stdout and stderr. HOW: nojobid, nocopy."},
     set_output_filename},
    {{"--output-directory", kOutput, Takes::folder, "DIR[:HOW]", "As --output-filename."},
     set_output_directory},
    {{"--merge-stderr-to-stdout", kOutput, Takes::nothing, "",
      "Keep stderr in the file of stdout."},
     [](MpirunDraft& d, const Typed&) -> base::Result<void> {
       d.output.merge_files = true;
       return {};
     }},
    {{"--tag-output", kOutput, Takes::nothing, "",
      "Prefix each line with [1,RANK]<stdout>: or <stderr>:."},
     [](MpirunDraft& d, const Typed&) -> base::Result<void> {
       d.output.tag = OpenMpiOutput::Tag::job_and_rank;
       return {};
     }},
    {{"--timestamp-output", kOutput, Takes::nothing, "", "Prefix each line with the time."},
     [](MpirunDraft& d, const Typed&) -> base::Result<void> {
       d.output.timestamp = true;
       return {};
     }},
    {{"--xml", kOutput, Takes::nothing, "", "Write each line as an XML element, all on stdout."},
     [](MpirunDraft& d, const Typed&) -> base::Result<void> {
       d.output.xml = true;
       return {};
     }},
    {{"--output",
      kOutput,
      Takes::text,
      "LIST",
      "The same in Open MPI 5's syntax and format: tag, tag-detailed, rank, timestamp, xml, "
      "merge, dir=DIR, file=NAME; :nocopy.",
      {.repeatable = true}},
     set_output},
    {{"--stdin", kOutput, Takes::text, "RANK|all|none", "Which rank reads stdin (default: 0)."},
     [](MpirunDraft& d, const Typed& t) { return store(read_stdin_to(t), d.request.spec.input); }},
    {{"--display-map", kShow, Takes::nothing, "", "Show which rank runs where."},
     [](MpirunDraft& d, const Typed&) -> base::Result<void> {
       d.request.shown.map = true;
       return {};
     }},
    {{"--display-devel-map --display-diffable-map", kShow, Takes::nothing, "", "As --display-map."},
     [](MpirunDraft& d, const Typed&) -> base::Result<void> {
       d.request.shown.map = true;
       return {};
     }},
    {{"--display-allocation --display-devel-allocation", kShow, Takes::nothing, "",
      "Show the hosts and their slots."},
     [](MpirunDraft& d, const Typed&) -> base::Result<void> {
       d.request.shown.allocation = true;
       return {};
     }},
    {{"--report-bindings", kShow, Takes::nothing, "", "Print each rank's binding to stderr."},
     [](MpirunDraft& d, const Typed&) -> base::Result<void> {
       d.request.shown.bindings = true;
       return {};
     }},
    {{"--display",
      kShow,
      Takes::text,
      "LIST",
      "The same in Open MPI 5's syntax: map, allocation, bind.",
      {.repeatable = true}},
     set_display},
    {{"--do-not-launch", kShow, Takes::nothing, "", "Plan and show only; start nothing."},
     [](MpirunDraft& d, const Typed&) -> base::Result<void> {
       d.request.do_not_launch = true;
       return {};
     }},
    {{"-v --verbose", kShow, Takes::nothing, "",
      "Print to stderr what happens, and how long each phase takes."},
     [](MpirunDraft& d, const Typed&) -> base::Result<void> {
       d.request.spec.verbose = true;
       return {};
     }},
    {{"-q --quiet", kShow, Takes::nothing, "", "Print no notices."},
     [](MpirunDraft& d, const Typed&) -> base::Result<void> {
       d.quiet = true;
       return {};
     }},
    {{"-V --version",
      kShow,
      Takes::nothing,
      "",
      "Show the version of Open MPI that muster emulates.",
      {.ends = true}},
     [](MpirunDraft& d, const Typed&) -> base::Result<void> {
       d.version = true;
       return {};
     }},
    {{"-h --help", kShow, Takes::nothing, "", "Show this help.", {.ends = true}},
     [](MpirunDraft& d, const Typed&) -> base::Result<void> {
       d.help = true;
       return {};
     }},
}};

}  // namespace muster::front::mpirun
