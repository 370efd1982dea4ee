// read_export_request: a job file in, manifests of a scheduler out, or all errors.
#pragma once

#include <optional>
#include <string>

#include "base/error.hpp"
#include "front/front.hpp"
#include "front/job/options.hpp"
#include "job/complaints.hpp"
#include "job/job_spec.hpp"
#include "kubernetes/export.hpp"

namespace muster::front {

// `engine`: the scheduler, as it was typed.
[[nodiscard]] base::Result<Reading> read_export_request(const Call& call, const JobDraft& draft,
                                                        const std::string& engine,
                                                        const std::string& file);

// A job file that has been read, perhaps of a schedule.
struct FileToExport {
  std::string file;
  std::string text;
  std::optional<kubernetes::Cron> cron = {};
  std::optional<job::Text> target = {};  // in place of the job's
};
[[nodiscard]] base::Result<Reading> export_file(const Call& call, const JobDraft& draft,
                                                const std::string& engine, FileToExport job);

// A job for a target with an operator.
struct OperatedSource {
  const job::JobFile& job;
  const std::string& file;
  const std::string& text;  // of the file
  const job::Place& place;
  const std::string& name;  // of its objects
  job::FindData find = {};  // what names of data stand for
};

// What is made in the cluster. It has no objects where there are complaints: of what an operator's
// pods do not get from here, and all that an export has.
[[nodiscard]] base::Result<kubernetes::Manifest> operated_manifest(const Call& call,
                                                                   const JobDraft& draft,
                                                                   const OperatedSource& operated,
                                                                   job::Complaints& complaints);

}  // namespace muster::front
