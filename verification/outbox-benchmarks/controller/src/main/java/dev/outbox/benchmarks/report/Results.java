package dev.outbox.benchmarks.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** All runs so far, in {@code results.json}, {@code results.md} and charts. Every run rewrites the files. */
public final class Results {

    private static final JsonMapper MAPPER =
            JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

    private final Path directory;
    private final Map<String, Map<String, String>> conditions = new LinkedHashMap<>();
    private final List<Run> runs = new ArrayList<>();

    /** Creates results without runs. */
    public Results(Path directory, Map<String, String> options) throws IOException {
        this.directory = Files.createDirectories(directory);
        conditions.put("machine", Machine.describe());
        conditions.put("options", options);
    }

    /** Adds a run, and writes the files. */
    public void add(Run run) throws IOException {
        runs.add(run);
        Map<String, Object> all = new LinkedHashMap<>(conditions);
        all.put("runs", runs);
        Files.writeString(directory.resolve("results.json"), MAPPER.writeValueAsString(all));
        Files.writeString(directory.resolve("results.md"), Report.of(runs));
        Charts.write(runs, directory);
    }

    /** Records the settings of the server, which are the same in every run. */
    public void server(Map<String, String> settings) {
        conditions.put("server", settings);
    }

    /** Returns the rate of each forwarder as a share of that of its plain loop, as text for each case that has both. */
    public List<String> shares() {
        return Report.shares(runs);
    }

    /** Returns the directory of the files. */
    public Path directory() {
        return directory;
    }
}
