package cluster_test

import (
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// A store serves one bucket through the part of the S3 protocol that searches use. Listings have two objects a page.
type store struct {
	sync.Mutex
	objects map[string][]byte // by name
}

const theBucket = "states"

func newStore(t *testing.T) *store {
	t.Helper()
	s := &store{objects: make(map[string][]byte)}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	for name, value := range map[string]string{
		"AWS_ENDPOINT_URL": server.URL, "AWS_REGION": "nowhere", "AWS_ACCESS_KEY_ID": "key",
		"AWS_SECRET_ACCESS_KEY":            "secret",
		"AWS_REQUEST_CHECKSUM_CALCULATION": "when_required", "AWS_EC2_METADATA_DISABLED": "true",
		"AWS_CONFIG_FILE":             "/dev/null",
		"AWS_SHARED_CREDENTIALS_FILE": "/dev/null", "AWS_PROFILE": "",
	} {
		t.Setenv(name, value)
	}
	return s
}

func (s *store) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.Lock()
	defer s.Unlock()
	bucket, name, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	data, there := s.objects[name]
	switch {
	case bucket != theBucket:
		refuseObject(w, "NoSuchBucket")
	case r.Method == http.MethodPut:
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		s.objects[name] = body
	case r.Method == http.MethodDelete:
		delete(s.objects, name)
		w.WriteHeader(http.StatusNoContent)
	case r.URL.Query().Has("list-type"):
		s.list(w, r.URL.Query().Get("prefix"), r.URL.Query().Get("continuation-token"))
	case !there:
		refuseObject(w, "NoSuchKey")
	default:
		w.Header().Set("Content-Length", fmt.Sprint(len(data)))
		_, _ = w.Write(data)
	}
}

func refuseObject(w http.ResponseWriter, code string) {
	w.WriteHeader(http.StatusNotFound)
	fmt.Fprintf(w, "<Error><Code>%s</Code><Message>it is not there</Message></Error>", code)
}

func (s *store) list(w io.Writer, prefix, after string) {
	type object struct{ Key string }
	var page struct {
		XMLName               xml.Name `xml:"ListBucketResult"`
		IsTruncated           bool
		NextContinuationToken string
		Contents              []object
	}
	var names []string
	for name := range s.objects {
		if strings.HasPrefix(name, prefix) && name > after {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for i, name := range names {
		if page.IsTruncated = i == 2; page.IsTruncated {
			break
		}
		page.Contents = append(page.Contents, object{name})
		page.NextContinuationToken = name
	}
	_ = xml.NewEncoder(w).Encode(page)
}

// TestBucket checks that a search in an object store has the same counts and can resume, and that a missing bucket is
// reported.
func TestBucket(t *testing.T) {
	newStore(t)
	args := append(append([]string{"explore"}, with("--shards", "2", "--unroll", "4", "--json", "-q")...), here...)
	if status, _, stderr := beamed(append(args, "--dir", "s3://"+theBucket+"/run", "--max-states",
		"20")...); status != 3 {
		t.Fatalf("status %d: %s", status, stderr)
	}
	if got := explore(t, with("--shards", "2", "--unroll", "16", "--dir",
		"s3://"+theBucket+"/run")...); got != ofSmall {
		t.Errorf("%+v, want %+v", got, ofSmall)
	}
	status, stdout, stderr := beamed(append(args, "--dir", "s3://other/run")...)
	if status != 2 || !strings.HasPrefix(stdout, `{"errors":[{"message":`) || strings.Count(stderr, "\n") != 1 ||
		!strings.Contains(stderr, "NoSuchBucket") {
		t.Errorf("missing bucket: status %d: %s%s", status, stdout, stderr)
	}
	t.Setenv("AWS_REGION", "")
	if status, stdout, stderr = beamed(append(args, "--dir", "s3://"+theBucket+"/run")...); status != 2 ||
		strings.Count(stderr, "\n") != 1 {
		t.Errorf("missing region: status %d: %s%s", status, stdout, stderr)
	}
}
