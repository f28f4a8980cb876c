#include "audit/checker.hpp"

#include <iterator>
#include <vector>

namespace keysieve::audit {

JudgedCases judged_cases(const std::vector<cases::SelectCase>& specs) {
  JudgedCases judged;
  for (const cases::SelectCase& spec : specs) judged.emplace_back(spec);
  return judged;
}

JudgedView view_of(const JudgedCases& judged) {
  JudgedView view;
  for (const JudgedCase& one : judged) view.push_back(&one);
  return view;
}

Executor& Checker::executor_for(const Setup& setup) {
  std::unique_ptr<Executor>& executor = setup.backend == Backend::kCuda ? cuda_ : host_;
  if (executor == nullptr) {
    executor =
        setup.backend == Backend::kCuda ? make_cuda_executor(implementation_) : make_host_executor(implementation_);
  }
  return *executor;
}

Verdict Checker::check(const JudgedView& judged, const Setup& setup, Manner manner, std::size_t turn) {
  std::vector<const cases::CaseInputs*> inputs;
  for (const JudgedCase* one : judged) inputs.push_back(&one->inputs);
  const Promises promises = implementation_.promises(setup);
  Executor& executor = executor_for(setup);
  Answer answer = executor.run(inputs, setup, manner, kPoisons[turn % std::size(kPoisons)]);
  const bool repeat = promises.repeatable && answer.refusal.empty() && answer.fault.empty();
  Answer again;
  // Before the judge, which may change rows that it does not judge.
  std::string repetition;
  if (repeat) {
    again = executor.run(inputs, setup, manner, kPoisons[(turn + 1) % std::size(kPoisons)]);
    repetition = repetition_fault(judged, answer, again);
  }
  Verdict verdict = judge(judged, answer, promises);
  if (repeat && verdict.difference.empty()) {
    verdict = judge(judged, again, promises);
    if (verdict.difference.empty()) verdict.difference = repetition;
  }
  return verdict;
}

Verdict Checker::check(const Trial& trial) {
  std::vector<cases::SelectCase> specs;
  for (const cases::SelectCase& spec : trial.cases) specs.push_back(implementation_.adapt(spec, trial.setup));
  const JudgedCases judged = judged_cases(specs);
  Verdict verdict;
  for (std::size_t turn = 0; turn < std::size(kPoisons); ++turn) {
    verdict = check(view_of(judged), trial.setup, trial.manner, turn);
    if (!verdict.refusal.empty() || !verdict.difference.empty()) break;
  }
  return verdict;
}

}  // namespace keysieve::audit
