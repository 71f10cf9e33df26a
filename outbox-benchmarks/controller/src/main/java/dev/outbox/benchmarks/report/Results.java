package dev.outbox.benchmarks.report;

import dev.outbox.benchmarks.workload.Workload.Headline;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** All runs so far, in {@code results.json} and {@code results.md}, which are written anew after every run. */
public final class Results {

    private static final JsonMapper MAPPER =
            JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

    private final Path directory;
    private final Map<String, Map<String, String>> circumstances = new LinkedHashMap<>();
    private final Map<String, Headline> headlines = new LinkedHashMap<>();
    private final List<Run> runs = new ArrayList<>();

    /**
     * Begins with no runs.
     *
     * @param directory where the files are written
     * @param options what was asked for
     * @throws IOException if the directory cannot be created
     */
    public Results(Path directory, Map<String, String> options) throws IOException {
        this.directory = Files.createDirectories(directory);
        circumstances.put("machine", Machine.describe());
        circumstances.put("options", options);
    }

    /**
     * Adds a run, and writes the files.
     *
     * @param run the run
     * @param headline what its table compares
     * @throws IOException if the files cannot be written
     */
    public void add(Run run, Headline headline) throws IOException {
        runs.add(run);
        headlines.put(run.workload(), headline);
        Map<String, Object> all = new LinkedHashMap<>(circumstances);
        all.put("runs", runs);
        Files.writeString(directory.resolve("results.json"), MAPPER.writeValueAsString(all));
        Files.writeString(directory.resolve("results.md"), new Report(circumstances, headlines, runs).text());
    }

    /**
     * Notes what the server runs with, which is the same in every run.
     *
     * @param settings the settings by name
     */
    public void server(Map<String, String> settings) {
        circumstances.put("server", settings);
    }

    /**
     * Returns where the files are.
     *
     * @return the directory
     */
    public Path directory() {
        return directory;
    }
}
