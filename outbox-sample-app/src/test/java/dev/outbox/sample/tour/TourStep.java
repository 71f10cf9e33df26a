package dev.outbox.sample.tour;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A command of the tour, and what it is to answer.
 *
 * @param page the file of the page
 * @param line where it stands, from 1
 * @param command what is typed
 * @param shown what the page shows under it
 */
record TourStep(String page, int line, String command, String shown) {

    private static final String PROMPT = "$ ";

    /** Reads the blocks of a page that are marked as console. */
    static List<TourStep> of(Path page) throws IOException {
        return of(String.valueOf(page.getFileName()), Files.readAllLines(page));
    }

    static List<TourStep> of(String name, List<String> page) {
        List<TourStep> steps = new ArrayList<>();
        boolean console = false;
        for (int index = 0; index < page.size(); index++) {
            String text = page.get(index);
            if (text.startsWith("```")) {
                console = text.equals("```console");
            } else if (console && text.startsWith(PROMPT)) {
                int begin = index;
                StringBuilder command = new StringBuilder(text.substring(PROMPT.length()));
                while (isOpen(command)) {
                    command.append('\n').append(page.get(++index));
                }
                List<String> shown = new ArrayList<>();
                while (!page.get(index + 1).startsWith(PROMPT)
                        && !page.get(index + 1).startsWith("```")) {
                    shown.add(page.get(++index));
                }
                steps.add(new TourStep(name, begin + 1, command.toString(), String.join("\n", shown)));
            } else if (console) {
                throw new IllegalArgumentException("line " + (index + 1) + " belongs to no command: " + text);
            }
        }
        return steps;
    }

    private static boolean isOpen(CharSequence command) {
        return command.chars().filter((character) -> character == '"').count() % 2 == 1
                && command.chars().filter((character) -> character == '\'').count() % 2 == 0;
    }

    /** Whether it only looks, so that it may look again. */
    boolean isQuestion() {
        return (command.startsWith("curl ") || command.startsWith("psql "))
                && !command.contains(" -X ")
                && !command.contains(" -d ");
    }

    @Override
    public String toString() {
        return "docs/" + page + ":" + line + ": " + command;
    }
}
