#include "app/commands.h"

int main(int argc, char** argv) { return berth::app::run_command_line(argc, argv); }
