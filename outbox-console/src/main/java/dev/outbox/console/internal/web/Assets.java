package dev.outbox.console.internal.web;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.support.PropertiesLoaderUtils;
import org.springframework.http.MediaType;
import org.springframework.web.servlet.function.ServerRequest;

/** Scripts and styles. Their addresses contain a hash of the content, so that browsers may keep them. */
public final class Assets {

    private static final ClassLoader LOADER = Assets.class.getClassLoader();

    private final Map<String, Asset> assets = Map.of(
            "htmx.js",
            script(webJar("htmx.org", "dist/htmx.min.js")),
            "console.js",
            script(own("console.js")),
            "console.css",
            new Asset(own("console.css"), new MediaType("text", "css", StandardCharsets.UTF_8)),
            "icon.svg",
            new Asset(own("icon.svg"), MediaType.valueOf("image/svg+xml")));

    private final Map<String, String> hashes = assets.entrySet().stream()
            .collect(Collectors.toUnmodifiableMap(
                    Map.Entry::getKey, (entry) -> entry.getValue().hash()));

    /** File with its type. */
    static final class Asset {

        private final byte[] content;
        private final MediaType type;

        private Asset(byte[] content, MediaType type) {
            this.content = content;
            this.type = type;
        }

        byte[] content() {
            return content;
        }

        MediaType type() {
            return type;
        }

        String hash() {
            try {
                byte[] hash = MessageDigest.getInstance("SHA-256").digest(content);
                return HexFormat.of().formatHex(hash, 0, 6);
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    /** Returns the hash of each file by its name. */
    Map<String, String> hashes() {
        return hashes;
    }

    @Nullable
    Asset find(ServerRequest request) {
        String name = request.pathVariable("name");
        return request.pathVariable("hash").equals(hashes.get(name)) ? assets.get(name) : null;
    }

    private static Asset script(byte[] content) {
        return new Asset(content, new MediaType("text", "javascript", StandardCharsets.UTF_8));
    }

    private static byte[] own(String name) {
        return read(new ClassPathResource("dev/outbox/console/assets/" + name, LOADER));
    }

    private static byte[] webJar(String name, String file) {
        ClassPathResource version =
                new ClassPathResource("META-INF/maven/org.webjars.npm/" + name + "/pom.properties", LOADER);
        try {
            Properties properties = PropertiesLoaderUtils.loadProperties(version);
            return read(new ClassPathResource(
                    "META-INF/resources/webjars/" + name + "/" + properties.getProperty("version") + "/" + file,
                    LOADER));
        } catch (IOException e) {
            throw new UncheckedIOException("WebJar " + name + " is missing", e);
        }
    }

    private static byte[] read(ClassPathResource resource) {
        try {
            return resource.getContentAsByteArray();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
