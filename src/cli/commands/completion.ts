import { Argument, Command } from "commander";
import { withExamples } from "../help.js";
import { SHELLS, type Shell } from "../shells.js";

/** `salvor completion`: what a shell needs to complete the words of a command line. */
export function completionCommand(): Command {
  const command = new Command("completion")
    .description("Print what makes a shell complete verbs, options, values and run ids.")
    .addArgument(new Argument("<SHELL>", "the shell").choices(SHELLS))
    .argument("[WORDS...]", "with --candidates: the words after salvor so far, the last one unfinished")
    .option("--candidates", "what the script calls: print how the last word may go on, one a line")
    .action(async (shell: Shell, words: readonly string[], { candidates }: { candidates?: true }) => {
      const { runCompletion } = await import("../completion.js");
      // The whole command line, which this verb is itself a part of.
      await runCompletion(shell, candidates === true ? words : undefined, command.parent ?? command);
    });
  return withExamples(command, [
    ["salvor completion fish > ~/.config/fish/completions/salvor.fish", "once"],
    ["source <(salvor completion bash)", "in ~/.bashrc"],
    ["source <(salvor completion zsh)", "in ~/.zshrc, after compinit"],
  ]);
}
