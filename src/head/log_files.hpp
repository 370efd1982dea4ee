// LogFiles: the files that keep the ranks' output, by the names that OutputSpec gives them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/id.hpp"
#include "machine/lines.hpp"
#include "machine/speakers.hpp"
#include "model/output_spec.hpp"
#include "process/unique_fd.hpp"
#include "process/write_all.hpp"
#include "store/stream_times.hpp"

namespace muster::head {

class LogFiles final : public machine::LineSink {
 public:
  // Makes folders and empty files for all ranks whose output comes here; none when none are wanted.
  // Below the part of a name that the user has written no link is followed.
  [[nodiscard]] static base::Result<std::optional<LogFiles>> wanted(
      const model::OutputSpec& output, const machine::Speakers& speakers);
  [[nodiscard]] static base::Result<LogFiles> create(const model::OutputSpec& output,
                                                     const machine::Speakers& speakers);
  // Creates the files of spawned ranks; trouble() returns a failure.
  void add(const model::OutputSpec& output, const machine::Speakers& speakers);
  // The same ranks start again, as the speakers know: names that are new become files, others go
  // on.
  void begin_round(const model::OutputSpec& output, const machine::Speakers& speakers);
  // Where a rank's stream is kept.
  [[nodiscard]] machine::SinkId sink_of(base::Rank rank, model::Stream stream) const;
  void write(machine::SinkId file, std::string_view bytes) override;
  // Whether what a stream wrote can be read again: its file is a plain one, and nobody else's.
  [[nodiscard]] bool can_be_read(machine::SinkId file) const;
  // Bytes in a file so far.
  [[nodiscard]] std::uint64_t size(machine::SinkId file) const { return files_[file].size; }
  // Reads some of them again; returns how many, 0 when that cannot be.
  [[nodiscard]] std::size_t read(machine::SinkId file, std::uint64_t at,
                                 std::span<char> into) const;
  // Why output is missing, and how much; the first reason counts (such as a full disk). Empty:
  // nothing is missing. The run continues, and later output is tried again.
  [[nodiscard]] std::string trouble() const;
  [[nodiscard]] const std::string& reason() const { return trouble_; }

 private:
  struct File {
    process::UniqueFd fd;
    const std::string* path = nullptr;  // a key of opened_
    bool is_plain = false;              // no fifo or device, nor what muster prints to
    std::uint32_t streams = 1;          // that are kept in it
    bool given_up = false;              // its reader does not read
    std::uint64_t size = 0;             // bytes
    store::StreamName name = {};        // of the first stream that is kept in it
  };

  // What a call has found and made, before anything that was there is emptied.
  struct Attempt {
    std::vector<std::string> made = {};      // files, and folders before them
    std::vector<machine::SinkId> full = {};  // files that have bytes of an earlier job
  };

  // Like make(); trouble() returns a failure, and the ranks of this world have no files then.
  void try_make(const model::OutputSpec& output, const machine::Speakers& speakers,
                const model::World& world);
  // All of them, or none: then what is there stays as it was.
  [[nodiscard]] base::Result<void> make(const model::OutputSpec& output,
                                        const machine::Speakers& speakers,
                                        const model::World& world);
  [[nodiscard]] base::Result<void> open_all(const model::OutputSpec& output,
                                            const machine::Speakers& speakers,
                                            const model::World& world, Attempt& attempt);
  [[nodiscard]] base::Result<machine::SinkId> open(const std::string& path,
                                                   const model::Pattern& pattern, Attempt& attempt);
  [[nodiscard]] base::Result<void> empty(const std::vector<machine::SinkId>& full);

  [[nodiscard]] static process::Written write_at_pace_of(File& file, std::string_view bytes);

  std::vector<File> files_;                        // index: SinkId
  std::map<std::string, machine::SinkId> opened_;  // by path
  std::vector<machine::SinkId> sinks_;             // index: rank * 2 + (stream is err)
  std::optional<store::TimesWriter> times_;
  std::string trouble_;
  std::uint64_t lost_ = 0;  // bytes that no file took
};

}  // namespace muster::head
