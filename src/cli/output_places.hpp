// OutputPlaces: the paths that a job file gives to outputs, and whether a run may write there.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "front/front.hpp"
#include "front/pipeline_request.hpp"
#include "front/request.hpp"
#include "model/record.hpp"
#include "store/place_claims.hpp"
#include "store/placed.hpp"

namespace muster::cli {

// Looked at on this machine only. Outputs in the record are nobody else's, and left out; so is all
// when it is unknown where records are.
class OutputPlaces {
 public:
  explicit OutputPlaces(const front::Recording& record);
  // With those of steps, as far as they are known before these run.
  explicit OutputPlaces(const front::PipelineRequest& request);
  // Of one of them, whichever was asked for.
  explicit OutputPlaces(const front::Reading& reading);

  // Fault::bad_file: files lie there that no run of muster has written, and nobody said that they
  // may go.
  [[nodiscard]] base::Result<void> check() const;
  // The same for a run that is about to begin, and to which they belong until this object goes.
  // Fault::bad_file, too, while another run writes there. Says what the run may overwrite.
  [[nodiscard]] base::Result<void> take();
  // The same for what starts nothing: "it would not start: ..."; empty: all is well.
  [[nodiscard]] std::string warning() const;

  // What is new there is the run's, from the first of these to the second. An output that only
  // takes the place of what is there, at the end, is not meant: its run does not write there.
  void begin() const;
  void end() const;

 private:
  struct One {
    std::string name;
    store::Placed place;
    bool overwrites = false;
    bool replaces = false;
    bool is_of_pipeline = false;  // whose step this run is: it has the place, and has told of it
  };
  void add(const front::Recording& record, const model::NamedPath& output, bool replaces);
  [[nodiscard]] static base::Result<void> refusal(const One& one,
                                                  const store::PlaceClaims::Answer& answer);
  [[nodiscard]] base::Result<void> claim();

  std::string records_;
  std::string run_;  // whose places they are: "RUN" or "RUN/STEP"
  std::vector<One> all_;
  std::optional<store::PlaceClaims> claims_;  // once they are taken
};

}  // namespace muster::cli
