import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.introspect.Annotated;
import com.fasterxml.jackson.databind.introspect.JacksonAnnotationIntrospector;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.strimzi.api.kafka.model.kafka.Kafka;
import io.strimzi.api.kafka.model.nodepool.KafkaNodePool;
import io.strimzi.api.kafka.model.topic.KafkaTopic;
import io.strimzi.api.kafka.model.user.KafkaUser;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/**
 * Reads Strimzi's objects (YAML on the standard input) by Strimzi's own classes, as its operator does. Its resource definitions are
 * published nowhere but with its sources. Here, what the operator would ignore with a warning is an error: a field that it does not know,
 * a value that an enumeration does not have.
 *
 * Prints one line for each object that is wrong, `Kind name: what`, and exits 1; else prints nothing and exits 0.
 */
public class StrimziCheck {
    private static final Map<String, Class<?>> CLASSES =
            Map.of("Kafka", Kafka.class, "KafkaNodePool", KafkaNodePool.class, "KafkaTopic", KafkaTopic.class, "KafkaUser", KafkaUser.class);

    /** The classes keep what they do not know in a map of their own; without it Jackson refuses it, and says where it is. */
    private static final class Strict extends JacksonAnnotationIntrospector {
        @Override
        public Boolean hasAnySetter(Annotated member) {
            return false;
        }

        @Override
        public Boolean hasAnyGetter(Annotated member) {
            return false;
        }
    }

    public static void main(String[] args) throws IOException {
        ObjectMapper yaml = new ObjectMapper(new YAMLFactory());
        ObjectMapper strict = new ObjectMapper()
                .setAnnotationIntrospector(new Strict())
                .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);
        boolean wrong = false;
        try (var documents = yaml.readerFor(JsonNode.class).<JsonNode>readValues(System.in)) {
            while (documents.hasNext()) {
                JsonNode given = documents.next();
                String problem = judge(strict, given);
                if (problem == null) continue;
                wrong = true;
                System.out.println(given.path("kind").asText() + " " + given.at("/metadata/name").asText() + ": " + problem);
            }
        }
        System.exit(wrong ? 1 : 0);
    }

    private static String judge(ObjectMapper strict, JsonNode given) {
        Class<?> known = CLASSES.get(given.path("kind").asText());
        if (known == null) return "a kind that Strimzi does not have";
        try {
            String version = given.path("apiVersion").asText();
            if (!versionsOf(known).contains(version.replace("kafka.strimzi.io/", ""))) return "no such apiVersion: " + version;
            ObjectNode read = strict.valueToTree(strict.treeToValue(given, known));
            // The classes are the same for all versions, and write their own.
            return firstLoss(given, read.put("apiVersion", version), "");
        } catch (IOException | IllegalArgumentException error) {
            return error.getMessage().lines().findFirst().orElse("unreadable");
        }
    }

    private static List<?> versionsOf(Class<?> known) {
        try {
            return (List<?>) known.getField("VERSIONS").get(null);
        } catch (ReflectiveOperationException error) {
            throw new IllegalStateException(error);
        }
    }

    /** A value that is read and then not there any more is one that was not understood. */
    private static String firstLoss(JsonNode given, JsonNode read, String path) {
        if (given.isContainerNode() && given.getNodeType() == read.getNodeType()) {
            if (given.isArray()) {
                for (int index = 0; index < given.size(); index++) {
                    String loss = firstLoss(given.get(index), read.path(index), path + "/" + index);
                    if (loss != null) return loss;
                }
                return null;
            }
            for (var field : given.properties()) {
                String loss = firstLoss(field.getValue(), read.path(field.getKey()), path + "/" + field.getKey());
                if (loss != null) return loss;
            }
            return null;
        }
        return given.isValueNode() && given.asText().equals(read.asText()) ? null : "not understood: " + path + ": " + given;
    }
}
