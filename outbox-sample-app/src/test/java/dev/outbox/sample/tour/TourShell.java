package dev.outbox.sample.tour;

import com.jayway.jsonpath.JsonPath;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * Runs the commands of the tour without a shell, curl or psql, which not every machine has that has Java: exactly those options that the
 * tour uses, with the answers that the programs would give.
 */
final class TourShell {

    private static final String SERVICE = "localhost:8080";
    private static final Set<String> COLLECTIONS = Set.of("subscriptions", "orders", "users", "members", "snapshots");
    private static final Pattern RANGE = Pattern.compile("\\[(\\d+)-(\\d+)]");

    private final HttpClient http = HttpClient.newHttpClient();
    private final TourService service;
    private String id = "";
    private String key = "";

    TourShell(TourService service) {
        this.service = service;
    }

    String run(TourStep step) throws IOException, InterruptedException, SQLException {
        Queue<String> words = new ArrayDeque<>(step.words());
        String program = words.remove();
        return switch (program) {
            case "curl" -> curl(words);
            case "psql" -> psql(new ArrayList<>(words));
            case "mvn" -> "...\n" + service.start(words.size() == 4 ? new ArrayList<>(words).get(3) : "");
            case "pkill" -> kill();
            default -> throw new IllegalArgumentException("unknown program: " + program);
        };
    }

    private String curl(Queue<String> words) throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder();
        List<URI> addresses = List.of();
        String method = null;
        String body = null;
        boolean creates = false;
        String contentType = "application/x-www-form-urlencoded";
        while (!words.isEmpty()) {
            String word = words.remove();
            switch (word) {
                case "-X" -> method = words.remove();
                case "-d" -> body = words.remove();
                case "-H" -> contentType = contentType(words.remove());
                default -> {
                    addresses = addresses(word);
                    creates = COLLECTIONS.contains(word.substring(word.lastIndexOf('/') + 1));
                }
            }
        }
        if (body != null) {
            request.header("Content-Type", contentType);
        }
        request.method(
                method != null ? method : body != null ? "POST" : "GET",
                body != null ? BodyPublishers.ofString(body) : BodyPublishers.noBody());
        StringBuilder answers = new StringBuilder();
        for (URI address : addresses) {
            answers.append(http.send(request.uri(address).build(), BodyHandlers.ofString())
                    .body());
        }
        String answer = answers.toString();
        if (creates && body != null) {
            id = JsonPath.read(answer, "$.id");
            key = answer.contains("billingKeyId") ? JsonPath.read(answer, "$.billingKeyId") : key;
        }
        return answer;
    }

    private static String contentType(String header) {
        String name = "Content-Type:";
        if (!header.startsWith(name)) {
            throw new IllegalArgumentException("unknown header: " + header);
        }
        return header.substring(name.length()).strip();
    }

    /** One address, or one for each number of a range such as {@code [1-100]}. */
    private List<URI> addresses(String word) {
        Matcher range = RANGE.matcher(word);
        return range.find()
                ? IntStream.rangeClosed(Integer.parseInt(range.group(1)), Integer.parseInt(range.group(2)))
                        .mapToObj((number) -> uri(range.replaceFirst(String.valueOf(number))))
                        .toList()
                : List.of(uri(word));
    }

    private URI uri(String word) {
        if (!word.startsWith(SERVICE + "/")) {
            throw new IllegalArgumentException(
                    "neither an option that is known nor an address of the service: " + word);
        }
        return URI.create("http://localhost:" + service.port()
                + word.substring(SERVICE.length()).replace("$ID", id).replace("$KEY", key));
    }

    /** Answers as psql does: the names of the columns, then the rows; how many rows a statement has changed; or why it was refused. */
    private String psql(List<String> words) {
        if (words.size() != 4 || !words.subList(0, 3).equals(List.of("$DB", "--csv", "-c"))) {
            throw new IllegalArgumentException("psql is run as: psql $DB --csv -c \"…\"");
        }
        String sql = words.get(3);
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            if (!statement.execute(sql)) {
                return sql.substring(0, sql.indexOf(' ') + 1) + statement.getUpdateCount();
            }
            return csv(statement.getResultSet());
        } catch (SQLException ex) {
            return String.valueOf(ex.getMessage())
                    .replace("\n  Hint:", "\nHINT:")
                    .replace("\n  Where:", "\nCONTEXT:");
        }
    }

    private static String csv(ResultSet rows) throws SQLException {
        List<String> lines = new ArrayList<>();
        int columns = rows.getMetaData().getColumnCount();
        List<String> names = new ArrayList<>();
        for (int column = 1; column <= columns; column++) {
            names.add(rows.getMetaData().getColumnLabel(column));
        }
        lines.add(String.join(",", names));
        while (rows.next()) {
            List<String> cells = new ArrayList<>();
            for (int column = 1; column <= columns; column++) {
                String cell = rows.getString(column);
                cells.add(cell == null ? "" : cell.contains(",") ? '"' + cell + '"' : cell);
            }
            lines.add(String.join(",", cells));
        }
        return String.join("\n", lines);
    }

    private String kill() throws SQLException, IOException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet directory = statement.executeQuery("SHOW data_directory")) {
            directory.next();
            service.kill(Path.of(directory.getString(1)));
        }
        return "";
    }

    private Connection connect() throws SQLException {
        return DriverManager.getConnection(service.databaseUrl(), "postgres", "postgres");
    }
}
