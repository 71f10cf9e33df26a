package dev.outbox.chaos.history;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;

/** Reads files of facts. A line that is torn, because its process died, has no line feed and is left out; any other bad line
 * is an error. */
public final class FactReader {

    private static final ObjectReader JSON = JsonMapper.builder()
            .addModule(new SimpleModule().addDeserializer(String.class, new InternedText()))
            .build()
            .readerFor(Fact.class);

    private FactReader() {}

    /** Reads the facts of one process, in the order in which it wrote them. */
    public static List<Fact> read(Path file) {
        List<Fact> facts = new ArrayList<>();
        forEach(file, facts::add);
        return facts;
    }

    /** Returns the files of facts in a directory, by name. */
    public static List<Path> files(Path directory) {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter((file) -> file.toString().endsWith(FactWriter.EXTENSION))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot list the facts in " + directory, e);
        }
    }

    static void forEach(Path file, Consumer<Fact> consumer) {
        try (InputStream bytes = new BufferedInputStream(Files.newInputStream(file), 1 << 16)) {
            ByteArrayOutputStream line = new ByteArrayOutputStream(512);
            long number = 0;
            for (int next = bytes.read(); next >= 0; next = bytes.read()) {
                if (next != '\n') {
                    line.write(next);
                    continue;
                }
                number++;
                consumer.accept(parse(file, number, line.toByteArray()));
                line.reset();
            }
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot read " + file, e);
        }
    }

    private static Fact parse(Path file, long number, byte[] line) {
        try {
            return JSON.readValue(line);
        } catch (JacksonException e) {
            throw new IllegalStateException("Line " + number + " of " + file + " is not a fact", e);
        }
    }

    /** Keeps one copy of equal texts, of which a history has millions. */
    private static final class InternedText extends ValueDeserializer<String> {

        @Override
        public String deserialize(JsonParser parser, DeserializationContext context) {
            return parser.getValueAsString("").intern();
        }
    }
}
