package dev.outbox.benchmarks.worker;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import javax.sql.DataSource;
import org.springframework.jdbc.core.JdbcTemplate;

/** Main class of the process: reads the controller's commands from standard input, and answers on standard output. */
public final class Worker {

    private final Contestant contestant;
    private final Accounts accounts;
    private final Publishing publishing;
    private CompletableFuture<Map<String, String>> job = CompletableFuture.completedFuture(Map.of());

    private Worker(Contestant contestant, Accounts accounts, Journal committed) {
        this.contestant = contestant;
        this.accounts = accounts;
        this.publishing = new Publishing(contestant, accounts, committed);
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
        return new Worker(contestant, new Accounts(new JdbcTemplate(contestant.bean(DataSource.class))), committed);
    }

    private Map<String, String> opened() {
        Map<String, String> settings = new LinkedHashMap<>(contestant.settings());
        settings.put("pending", contestant.pending());
        return settings;
    }

    private Map<String, String> perform(Message command) throws Exception {
        switch (command.verb()) {
            case "accounts" -> accounts.create(command.number("accounts"));
            case "backlog" ->
                publishing.publishBacklog(command.number("events"), command.number("firstKey"), command.number("keys"));
            case "start" -> contestant.start();
            case "publish" ->
                begin(() -> publishing.publish(
                        command.number("threads"),
                        command.number("keys"),
                        command.flag("shared"),
                        command.number("seconds")));
            case "pace" ->
                begin(() -> publishing.publishAtRate(
                        command.number("rate"),
                        command.number("threads"),
                        command.number("keys"),
                        command.number("seconds")));
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

    /** Job that runs beside other commands. */
    private interface Job {
        Published run() throws Exception;
    }

    private void begin(Job todo) {
        job = CompletableFuture.supplyAsync(
                () -> {
                    try {
                        Published published = todo.run();
                        return Map.of(
                                "first", Integer.toString(published.first()),
                                "events", Integer.toString(published.events()),
                                "begun", Long.toString(published.begun()),
                                "ended", Long.toString(published.ended()));
                    } catch (Exception ex) {
                        throw new CompletionException(ex);
                    }
                },
                (task) -> new Thread(task, "job").start());
    }

    private Map<String, String> await() throws Exception {
        return job.get();
    }
}
