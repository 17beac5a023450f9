#pragma once

namespace nz::cli {

class Parser;
class Session;

// Each adds one subcommand, in the file of its name; the session's action is set when it is chosen.
void add_info(Parser& parser, Session& session);
void add_gen(Parser& parser, Session& session);
void add_convert(Parser& parser, Session& session);
void add_spy(Parser& parser, Session& session);
void add_list(Parser& parser, Session& session);
void add_plan(Parser& parser, Session& session);
void add_run(Parser& parser, Session& session);
void add_check(Parser& parser, Session& session);
void add_demo(Parser& parser, Session& session);
void add_reproduce(Parser& parser, Session& session);
void add_bench(Parser& parser, Session& session);
void add_sweep(Parser& parser, Session& session);
void add_devices(Parser& parser, Session& session);
void add_doctor(Parser& parser, Session& session);
void add_tune(Parser& parser, Session& session);
void add_compare(Parser& parser, Session& session);
void add_report(Parser& parser, Session& session);
void add_solve(Parser& parser, Session& session);
void add_pagerank(Parser& parser, Session& session);
void add_stationary(Parser& parser, Session& session);
void add_bench_solve(Parser& parser, Session& session);
void add_completion(Parser& parser, Session& session);  // both in manual.cpp
void add_man(Parser& parser, Session& session);

}  // namespace nz::cli
