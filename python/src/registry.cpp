#include <nanobind/stl/string.h>
#include <nonzero/device.hpp>
#include <nonzero/generate.hpp>
#include <nonzero/registry.hpp>
#include <nonzero/threads.hpp>
#include <nonzero/version.hpp>

#include "module.hpp"

namespace nz::python {
namespace {

nb::list kernel_list() {
  nb::list all;
  for (const Kernel& entry : kernels()) {
    const Kernel* k = &entry;
    nb::dict d;
    d["id"] = k->id();
    d["summary"] = std::string(k->summary);
    d["source"] = std::string(k->source);
    d["transposes"] = k->transposes;
    d["threaded"] = k->threaded;
    d["device"] = std::string(k->runs_on == Device::Kind::cpu ? "cpu" : "cuda");
    nb::list parameters;
    for (const Parameter& p : k->parameters) {
      nb::dict q;
      q["name"] = std::string(p.name);
      q["summary"] = std::string(p.summary);
      q["initial"] = p.initial;
      q["min"] = p.min;
      q["max"] = p.max;
      parameters.append(q);
    }
    d["parameters"] = parameters;
    all.append(d);
  }
  return all;
}

nb::list device_list() {
  nb::list all;
  for (const DeviceInfo& i : devices()) {
    nb::dict d;
    d["name"] = i.device.name();
    d["description"] = i.description;
    d["processors"] = i.processors;
    d["memory_bytes"] = i.memory_bytes;
    d["free_bytes"] = i.free_bytes;
    all.append(d);
  }
  return all;
}

nb::list family_list() {
  nb::list all;
  for (const Family& f : families()) {
    nb::dict d;
    d["name"] = std::string(f.name);
    d["summary"] = std::string(f.summary);
    d["example"] = std::string(f.example);
    all.append(d);
  }
  return all;
}

}  // namespace

void bind_registry(nb::module_& m) {
  m.def("kernels", &kernel_list, "All kernels, a dict each.");
  m.def("devices", &device_list, "The devices that are there, a dict each.");
  m.def("families", &family_list, "The families of matrices that generate() makes, a dict each.");
  m.def("why_no_cuda", &why_no_cuda, "Why there is no CUDA device; empty where there is one.");
  m.def(
      "version", [] { return std::string(version()); }, "That of the library.");
  m.def("threads", &threads, "How many CPU threads the library uses.");
  m.def("set_threads", &set_threads, nb::arg("n"), "Another number of them, for the process.");
}

}  // namespace nz::python
