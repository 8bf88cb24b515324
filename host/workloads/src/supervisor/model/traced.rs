//! Parts of traced requests, written for the agent: once in a second at most. While nothing is traced nothing is
//! written.

use periapt_model::workload::trace::OfUnit;

use super::Model;

impl Model {
    /// Parts that are over; whether something is due earlier than before.
    pub fn traced(&mut self, spans: impl IntoIterator<Item = OfUnit>) -> bool {
        let units = &self.units;
        let known = spans.into_iter().filter(|of| units.contains_key(&of.unit));
        self.traces.add(known);
        let before = self.write_traces;
        self.write_traces(false);
        self.write_traces = before.into_iter().chain(self.write_traces).min();
        self.write_traces != before
    }

    /// Writes what is not written yet, as far as it is time or hurries.
    pub(super) fn write_traces(&mut self, hurry: bool) {
        let folders = self.folders.as_ref();
        let later = folders.and_then(|folders| self.traces.write(&folders.traced, hurry));
        self.write_traces = later;
    }
}
