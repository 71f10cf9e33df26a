package dev.outbox.chaos.matrix;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;

/** Process of the matrix: executes the commands on its standard input, one cell after another, until the input ends. */
public final class ActorMain {

    static final String SAYS = "actor: ";
    static final String HIT = "hit";
    static final String DONE = "done";
    static final String FAILED = "failed";

    private static final Logger log = LoggerFactory.getLogger(ActorMain.class);
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private @Nullable Actor actor;

    private ActorMain() {}

    /**
     * Executes commands until the input ends.
     *
     * @param arguments none
     * @throws IOException if the input cannot be read
     */
    public static void main(String[] arguments) throws IOException {
        ActorMain main = new ActorMain();
        try (BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            say(DONE);
            for (String command = commands.readLine(); command != null; command = commands.readLine()) {
                main.answer(command);
            }
        }
        Runtime.getRuntime().halt(0);
    }

    private void answer(String command) {
        try {
            obey(command);
            say(DONE);
        } catch (InterruptedException | RuntimeException e) {
            log.error("{} failed", command, e);
            say(FAILED + " " + e);
        }
    }

    private void obey(String command) throws InterruptedException {
        String[] words = command.split(" ", 2);
        switch (words[0]) {
            case "begin" -> {
                Actor begun = new Actor(JSON.readValue(words[1], Assignment.class));
                actor = begun;
                begun.begin(() -> say(HIT));
            }
            case "start" -> actor().start();
            case "restart" -> actor().restart();
            case "go" -> Trap.release();
            case "quiet" -> actor().quiet();
            case "publish" -> actor().publish();
            case "repeat" -> {
                String[] cell = words[1].split(" ", 2);
                actor().repeat(Scenario.valueOf(cell[0]), Integer.parseInt(cell[1]));
            }
            case "end" -> {
                actor().close();
                actor = null;
            }
            default -> throw new IllegalArgumentException("unknown command: " + command);
        }
    }

    private Actor actor() {
        Actor current = actor;
        if (current == null) {
            throw new IllegalStateException("no cell has begun");
        }
        return current;
    }

    private static synchronized void say(String text) {
        System.out.println(SAYS + text);
        System.out.flush();
    }
}
