package dev.outbox.benchmarks.harm;

import dev.outbox.benchmarks.arena.Arena;
import dev.outbox.benchmarks.arena.Entrant;
import dev.outbox.benchmarks.arena.Entrant.Kind;
import dev.outbox.benchmarks.arena.WorkerProcess;
import dev.outbox.benchmarks.options.Case;
import dev.outbox.benchmarks.worker.Pause;
import dev.outbox.benchmarks.worker.Role;
import dev.outbox.benchmarks.workload.Measurement;
import dev.outbox.benchmarks.workload.Percentiles;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Times of the console's pages for an operator who opens them in turn: one event in ten is dead, and the log has entries of bulk retries. */
final class Pages extends Harm {

    private static final int WARM_UP = 30;

    /** The console keeps the state for 2 s: each round reads it once. */
    private static final Duration BETWEEN_ROUNDS = Duration.ofSeconds(2);

    private static final Pattern EVENT = Pattern.compile("/events/([0-9a-f-]{36})");

    private static final Map<String, String> PAGES = new LinkedHashMap<>();

    static {
        PAGES.put("overview", "");
        PAGES.put("failures", "/failures");
        PAGES.put("group", "/failures/group?handler=handler");
        PAGES.put("lane", "/lanes?type=account&id=0");
        PAGES.put("event", "/events/{event}");
        PAGES.put("search", "/search?aggregateType=account&aggregateId=0");
        PAGES.put("replays", "/replays");
        PAGES.put("scheduled", "/scheduled");
        PAGES.put("tables", "/tables");
        PAGES.put("log", "/operations");
    }

    private final HttpClient client = HttpClient.newHttpClient();

    Pages() {
        super("pages", "events=2000 operations=1000 rounds=3");
    }

    @Override
    public boolean suits(Entrant entrant, Case parameters) {
        return entrant.is(Kind.CONSOLE);
    }

    @Override
    public Measurement run(Arena arena, Case parameters) throws Exception {
        int keys = parameters.number("keys");
        createTables(arena);
        publishBacklog(arena, parameters.number("events"), 0, keys);
        Tables.addOperations(arena.server(), parameters.number("operations"));
        WorkerProcess worker = arena.open(Role.deliverer(arena.pool())
                .with(new Role.Calls(0, 0, keys / 10))
                .with(Map.of("outbox.retry.max-attempts", "1", "logging.level.dev.outbox", "off")));
        worker.remote().start();
        awaitDispatch(arena);
        long open = await(arena, "SELECT count(*) FROM events.outbox_delivery WHERE status = 'OPEN'", 0);
        arena.server().settle();
        String home = "http://localhost:" + worker.remote().perform("port") + "/outbox";
        Matcher event = EVENT.matcher(get(home + PAGES.get("group")));
        if (open > 0 || !event.find()) {
            throw new IllegalStateException(
                    "the events of " + keys / 10 + " accounts are not dead within benchmark.limit");
        }
        return measure(home, event.group(1), parameters.number("rounds"))
                .with("dead", (double) arena.server().number("SELECT count(*) FROM events.outbox_delivery"));
    }

    private Measurement measure(String home, String event, int rounds) throws Exception {
        Map<String, List<Long>> nanos = new LinkedHashMap<>();
        for (int round = -WARM_UP; round < rounds; round++) {
            if (round >= 0) {
                Pause.of(BETWEEN_ROUNDS);
            }
            for (Map.Entry<String, String> page : PAGES.entrySet()) {
                long begun = System.nanoTime();
                get(home + page.getValue().replace("{event}", event));
                long time = System.nanoTime() - begun;
                if (round >= 0) {
                    nanos.computeIfAbsent(page.getKey(), (name) -> new ArrayList<>())
                            .add(time);
                }
            }
        }
        Measurement measured = new Measurement()
                .with(
                        "page",
                        percentiles(
                                nanos.values().stream().flatMap(List::stream).toList()));
        nanos.forEach((page, times) ->
                measured.with(page + " p95 ms", percentiles(times).millis(0.95)));
        return measured;
    }

    private static Percentiles percentiles(List<Long> nanos) {
        return new Percentiles(nanos.stream().mapToLong(Long::longValue));
    }

    private String get(String address) throws IOException, InterruptedException {
        HttpResponse<String> answer =
                client.send(HttpRequest.newBuilder(URI.create(address)).build(), BodyHandlers.ofString());
        if (answer.statusCode() != 200) {
            throw new IllegalStateException(address + " has the status " + answer.statusCode() + ": " + answer.body());
        }
        return answer.body();
    }
}
