package dev.outbox.benchmarks.worker;

import dev.outbox.benchmarks.worker.Publishing.Backlog;
import dev.outbox.benchmarks.worker.Publishing.Publishers;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Main class of the process: reads the controller's commands from standard input, and answers on standard output. */
public final class Worker {

    private final Contestant contestant;
    private final Publishing publishing;
    private CompletableFuture<Map<String, String>> job = CompletableFuture.completedFuture(Map.of());

    private Worker(Contestant contestant, Publishing publishing) {
        this.contestant = contestant;
        this.publishing = publishing;
    }

    /** Runs until the command {@code close}, or until the controller ends. */
    public static void main(String[] arguments) throws Exception {
        PrintStream answers = System.out;
        System.setOut(System.err);
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        Worker worker = null;
        String line;
        while ((line = commands.readLine()) != null) {
            Message command = Message.decode(line);
            Message answer;
            try {
                if (worker == null) {
                    worker = open(command);
                    answer = new Message(Message.DONE, worker.opened());
                } else {
                    answer = new Message(Message.DONE, worker.perform(command));
                }
            } catch (Exception ex) {
                ex.printStackTrace();
                answer = new Message(Message.FAILED, Map.of("message", String.valueOf(ex)));
            }
            answers.println(answer.encode());
            answers.flush();
            if (command.verb().equals("close")) {
                break;
            }
        }
        // Threads of a contestant may outlive its close; the process must not.
        Runtime.getRuntime().halt(0);
    }

    private static Worker open(Message open) throws Exception {
        Setup setup = Setup.of(open);
        Contestant contestant = Class.forName(open.get("class"))
                .asSubclass(Contestant.class)
                .getConstructor(Setup.class)
                .newInstance(setup);
        Journal committed = Journal.create(Path.of(open.get("journals")).resolve("committed"), open.number("capacity"));
        return new Worker(contestant, new Publishing(contestant, committed));
    }

    private Map<String, String> opened() {
        Map<String, String> settings = new LinkedHashMap<>(contestant.settings());
        settings.put("pending", contestant.pending());
        return settings;
    }

    private Map<String, String> perform(Message command) throws Exception {
        switch (command.verb()) {
            case "accounts" ->
                contestant
                        .transactions()
                        .run((connection) -> Accounts.create(connection, command.number("accounts")), (at) -> {});
            case "backlog" ->
                publishing.publish(new Backlog(
                        command.number("events"),
                        command.number("firstKey"),
                        command.number("keys"),
                        command.number("threads"),
                        command.number("batch")));
            case "start" -> contestant.start();
            case "publish" ->
                begin(() -> publishing.publishUntil(
                        System.nanoTime()
                                + Duration.ofSeconds(command.number("seconds")).toNanos(),
                        publishers(command)));
            case "pace" ->
                begin(() -> publishing.publishAtRate(
                        command.number("rate"), command.number("seconds"), publishers(command)));
            case "await" -> {
                return await();
            }
            case "perform" -> {
                return Map.of("result", Long.toString(contestant.perform(command.get("task"))));
            }
            case "heap" -> {
                return Map.of("bytes", Long.toString(liveHeap()));
            }
            case "close" -> contestant.close();
            default -> throw new IllegalArgumentException("unknown command: " + command.verb());
        }
        return Map.of();
    }

    /** Returns the heap in use right after a garbage collection. */
    private static long liveHeap() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    private static Publishers publishers(Message command) {
        return new Publishers(command.number("threads"), command.number("keys"), command.flag("shared"));
    }

    /** Job that runs beside other commands. */
    private interface Job {
        void run() throws Exception;
    }

    private void begin(Job todo) {
        job = CompletableFuture.supplyAsync(
                () -> {
                    int first = publishing.next();
                    long begun = System.nanoTime();
                    try {
                        todo.run();
                    } catch (Exception ex) {
                        throw new CompletionException(ex);
                    }
                    long ended = System.nanoTime();
                    return Map.of(
                            "first", Integer.toString(first),
                            "events", Integer.toString(publishing.next() - first),
                            "begun", Long.toString(begun),
                            "ended", Long.toString(ended));
                },
                (task) -> new Thread(task, "job").start());
    }

    private Map<String, String> await() throws Exception {
        return job.get();
    }
}
